# What WWW::RobotRules (libwww-robotrules-perl) answers. One question or file on a line of standard input:
#   F <robots.txt in base64>      what is asked from now on is asked of this file
#   Q <agent> TAB <url>           answered by a line: 1 allowed, 0 not
use strict;
use warnings;
use MIME::Base64 qw(decode_base64);
use WWW::RobotRules;

$SIG{__WARN__} = sub { };    # it warns of malformed lines
my ($text, %rules);
while (my $line = <STDIN>) {
    chomp $line;
    if ($line =~ /^F (.*)/) {
        ($text, %rules) = (decode_base64($1));
        next;
    }
    my ($agent, $url) = $line =~ /^Q ([^\t]*)\t(.*)/ or die "not a question: $line";
    my $answering = $rules{$agent} //= do {
        my $new = WWW::RobotRules->new($agent);
        $new->parse("http://example.com/robots.txt", $text);
        $new;
    };
    print $answering->allowed($url) ? 1 : 0, "\n";
}
