"""Three crawlers that share one queue and one robots.txt policy, by way of one Redis.

python -m example.fleet
"""
