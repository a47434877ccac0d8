"""Three crawlers that share one queue and one robots.txt policy, through one Redis.

python -m example.fleet
"""
