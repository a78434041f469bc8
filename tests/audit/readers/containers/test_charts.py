"""Charts: one line says how each is rendered, however many files and charts it has within."""

from __future__ import annotations

from tidegate.audit.cluster.statements import Unread
from tidegate.audit.readers.containers.charts import split_charts, weaken_beside_rendered

REASON = "a chart and its values become configuration only when they are rendered"


def test_an_umbrella_is_one_thing_and_what_lies_beside_it_is_read() -> None:
    texts = [
        ("c/Chart.yaml", "name: u\ndependencies:\n- name: kafka\n", False),
        ("c/values.yaml", "kafka: {}\n", False),
        ("c/values-dev.yaml", "kafka: {}\n", False),
        ("c/values-prod.yaml", "kafka: {}\n", False),
        ("c/charts/kafka/Chart.yaml", "name: kafka\n", False),
        ("c/templates/t.yaml", "a: {{ .Values.x }}\n", False),
        ("c/topics.txt", "Topic: a\tPartitionCount: 1\n", False),
        ("other/values.yaml", "a: 1\n", False),
    ]
    rest, left = split_charts(texts)
    assert [path for path, _, _ in rest] == ["c/topics.txt", "other/values.yaml"]
    to_do = "helm template NAME c -f ONE OF c/values-dev.yaml, c/values-prod.yaml > rendered.yaml, and give that"
    assert left == [Unread("c", REASON, may_be_configuration=True, to_do=to_do)]
    assert not weaken_beside_rendered(left[0]).may_be_configuration


def test_a_chart_whose_dependencies_are_elsewhere_is_built_first() -> None:
    head = "name: u\ndependencies:\n- {name: kafka, repository: https://charts.example}\n"
    (left,) = split_charts([("c/Chart.yaml", head, False)])[1]
    assert left.to_do == "helm dependency build c && helm template NAME c > rendered.yaml, and give that"


def test_a_chart_of_something_else_leaves_nothing_open() -> None:
    texts = [("c/Chart.yaml", "name: web\n", False), ("c/templates/d.yaml", "image: nginx\n", False)]
    assert [left.may_be_configuration for left in split_charts(texts)[1]] == [False]


def test_packed_charts_beside_a_chart_are_charts_of_their_own() -> None:
    names = ("c/Chart.yaml", "c/charts/d/Chart.yaml", "c/docs/c.tgz/c/Chart.yaml", "c/docs/c.tgz/c/charts/d/Chart.yaml")
    rest, left = split_charts([(name, "name: kafka\n", False) for name in names])
    assert rest == [] and [one.path for one in left] == ["c", "c/docs/c.tgz/c"]
