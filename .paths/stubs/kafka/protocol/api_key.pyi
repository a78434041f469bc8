"""The part of kafka-python's list of requests that this project uses."""

from enum import IntEnum

class ApiKey(IntEnum):
    DescribeTopicPartitions = 75
