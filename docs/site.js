// What the theme leaves out for people who use a keyboard or a screen reader.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
new MutationObserver(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    table.tabIndex = 0;  // a wide table can be scrolled by keys
  }
}).observe(document.body, {childList: true, subtree: true});
