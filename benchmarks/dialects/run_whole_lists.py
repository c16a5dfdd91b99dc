# SPDX-License-Identifier: MIT
"""Values of other tools for metrics of whole lists: writes one fixture per tool.

    python benchmarks/dialects/run_whole_lists.py TOOL [FOLDER]

TOOL is elliot, lenskit, rampisela2024, rampisela2024-joint, recbole, recpack, rectools, replay or
warprec, and the Python is that of its environment. Fixtures are written to
tests/metrics/whole_lists/fixtures. FOLDER holds sources that are in no package registry: for elliot
the folder `elliot`; for rampisela2024, the measures of individual item fairness as their authors
compute them, `RecBole/recbole/evaluator/metrics.py` as `fairness_metrics.py`; for
rampisela2024-joint, the joint measures of their later paper, the file of the same name there as
`joint_metrics.py`. The latter loads RecBole and torch, of which these measures use nothing: empty
modules will do.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture

FOLDER = Path(__file__).resolve().parents[2] / "tests/metrics/whole_lists/fixtures"
COMMITS = {
    "elliot": "fc27efedaddf4a57294db14b4bcaa5553a0015d2",
    "rampisela2024": "6c594f28e508385635e3dbe6d7de9da9e49ac10e",
    "rampisela2024-joint": "b46a2d1b4a13e521400ee71e83d257ac2b7f50e4",
}
"""Those of sisinflab/elliot and of theresiavr: individual-item-fairness-measures-recsys, and
can-we-trust-recsys-fairness-evaluation."""


def _code(item: str) -> int:
    return int(item[1:])


GROUPS = ("0", "1")
"""Groups of users, by the remainder of their number."""


def _group(user: str) -> int:
    return int(user[1:]) % len(GROUPS)


def _trained(case: Case) -> list[str]:
    return [item for items in case["train"].values() for item in items]


def of_recbole(case: Case) -> Values:
    import numpy as np

    vars(np).update(float=np.float64, bool=np.bool_)
    import recbole.evaluator.metrics as recbole_metrics

    config: dict[str, Any] = {"topk": list(CUTOFFS), "metric_decimal_place": 16}
    lists = [[item for item, _ in run] for run in case["run"].values()]
    if min(map(len, lists)) < max(CUTOFFS):
        raise ValueError("RecBole's lists have max(topk) items")
    matrix = np.array([[_code(item) + 1 for item in listed[: max(CUTOFFS)]] for listed in lists])
    n_items = case["n_items"] + 1  # with [PAD], as dataset.num counts
    counts = Counter(_code(item) + 1 for item in _trained(case))
    values: Values = {}
    for k in CUTOFFS:
        top = matrix[:, :k]
        for name, value in (
            ("itemcoverage", recbole_metrics.ItemCoverage(config).get_coverage(top, n_items)),
            ("giniindex", recbole_metrics.GiniIndex(config).get_gini(top, n_items)),
            ("shannonentropy", recbole_metrics.ShannonEntropy(config).get_entropy(top)),
        ):
            values[f"{name}@{k}"] = value_of(float(value), None, len(lists))
    popularity = recbole_metrics.AveragePopularity(config)
    found = [("averagepopularity", popularity, popularity.get_pop(matrix, dict(counts)))]
    for ratio in (0.1, 0.5, 5):
        tail = recbole_metrics.TailPercentage({**config, "tail_ratio": ratio})
        found.append(
            (f"tailpercentage tail_ratio={ratio}", tail, tail.get_tail(matrix, dict(counts)))
        )
    for label, metric, of_ranks in found:
        table = metric.metric_info(of_ranks)
        name, _, options = label.partition(" ")
        for k in CUTOFFS:
            mean = metric.topk_result(name, table)[f"{name}@{k}"]
            per_user = dict(zip(case["run"], table[:, k - 1].tolist(), strict=True))
            values[f"{name}@{k} {options}".strip()] = value_of(float(mean), per_user, len(lists))
    return values


def of_elliot(case: Case) -> Values:
    import numpy as np
    import pandas as pd
    from elliot.evaluation import metrics as elliot_metrics
    from elliot.evaluation.popularity_utils.popularity import Popularity
    from elliot.evaluation.relevance.relevance import Relevance
    from scipy.sparse import csr_matrix

    items = [f"i{code:02d}" for code in range(case["n_items"])]
    users = list(case["train"])
    train = csr_matrix(
        (
            np.ones(len(_trained(case))),
            (
                [users.index(user) for user, own in case["train"].items() for _ in own],
                [_code(item) for item in _trained(case)],
            ),
        ),
        shape=(len(users), len(items)),
    )
    data = SimpleNamespace(
        private_items=dict(enumerate(items)),
        sp_i_train=train,
        transactions=train.nnz,
        train_dict={user: dict.fromkeys(own, 1.0) for user, own in case["train"].items()},
        items=items,
    )
    # Its file of features has items of whole numbers alone.
    elliot_metrics.SRecall._load_attribute_file = staticmethod(
        lambda _: {item: [_code(item) % 3] for item in items}
    )
    run = {user: [(item, score) for item, score in pairs] for user, pairs in case["run"].items()}
    groups = FOLDER / "groups.tsv"
    groups_of = [[item, _code(item) % 3] for item in items]
    pd.DataFrame(groups_of).to_csv(groups, sep="\t", header=False, index=False)
    additional = {"clustering_file": str(groups), "clustering_name": "thirds"}
    halves = FOLDER / "halves.tsv"
    groups_of_users = [[user, _group(user)] for user in users]
    pd.DataFrame(groups_of_users).to_csv(halves, sep="\t", header=False, index=False)
    both = {
        "item_clustering_file": str(groups),
        "item_clustering_name": "thirds",
        "user_clustering_file": str(halves),
        "user_clustering_name": "halves",
    }
    values: Values = {}
    try:
        for k in CUTOFFS:
            objects = SimpleNamespace(
                cutoff=k,
                num_items=len(items),
                pop=Popularity(data),
                relevance=Relevance(case["test"], THRESHOLD),
                data=data,
            )
            for name in ("ItemCoverage", "GiniIndex", "ShannonEntropy", "PopREO", "PopRSP"):
                metric = getattr(elliot_metrics, name)(run, None, None, objects)
                values[f"{metric.name()}@{k}"] = value_of(float(metric.eval()), None, None)
            for name in ("ARP", "APLT", "ACLT", "EFD", "EPC"):
                metric = getattr(elliot_metrics, name)(run, None, None, objects)
                per_user = {user: float(own) for user, own in metric.eval_user_metric().items()}
                values[f"{name}@{k}"] = value_of(float(metric.eval()), per_user, len(per_user))
            for name in ("ExtendedPopREO", "ExtendedPopRSP"):
                metric = getattr(elliot_metrics, name)(run, None, None, objects, {"pop_ratio": 0.8})
                values[f"{name}@{k}"] = value_of(float(metric.eval()), None, None)
            for name in ("ExtendedEFD", "ExtendedEPC", "SRecall"):
                given = {"feature_data": ""}
                metric = getattr(elliot_metrics, name)(run, None, None, objects, given)
                per_user = {user: float(own) for user, own in metric.eval_user_metric().items()}
                label = f"{name}@{k}" + " groups=thirds" * (name == "SRecall")
                values[label] = value_of(float(metric.eval()), per_user, len(per_user))
            for name in ("REO", "RSP"):
                metric = getattr(elliot_metrics, name)(run, None, None, objects, additional)
                values[f"{name}@{k} groups=thirds"] = value_of(
                    float(metric.get()[-1].eval()), None, None
                )
            for name, of in (
                ("ItemMADranking", groups),
                ("ItemMADrating", groups),
                ("UserMADranking", halves),
                ("UserMADrating", halves),
            ):
                given = {"clustering_file": str(of), "clustering_name": of.stem}
                metric = getattr(elliot_metrics, name)(run, None, None, objects, given)
                label = f"{name}@{k} groups={'thirds' if of is groups else 'halves'}"
                values[label] = value_of(float(metric.eval()), None, None)
            for end in ("BD", "BR", "BS"):
                name = f"BiasDisparity{end}"
                metric = getattr(elliot_metrics, name)(run, None, None, objects, both)
                for place, own in enumerate(metric.get()):
                    label = f"{name}@{k} groups=thirds users={place // 3} items={place % 3}"
                    values[label] = value_of(float(own.eval()), None, None)
            dice = elliot_metrics.DSC(run, None, None, objects, {"beta": 2})
            pair = {"metric_0": "Precision", "metric_1": "Recall"}
            (harmonic,) = elliot_metrics.ExtendedF1(run, None, None, objects, pair).get()
            for label, metric in ((f"DSC@{k} beta=2", dice), (f"ExtendedF1@{k}", harmonic)):
                per_user = {user: float(own) for user, own in metric.eval_user_metric().items()}
                values[label] = value_of(float(metric.eval()), per_user, len(per_user))
    finally:
        groups.unlink()
        halves.unlink()
    return values


def of_rampisela2024(case: Case) -> Values:
    import fairness_metrics
    import numpy as np

    lists = [[item for item, _ in run][: max(CUTOFFS)] for run in case["run"].values()]
    if min(map(len, lists)) < max(CUTOFFS):
        raise ValueError("RecBole's lists have max(topk) items")
    matrix = np.array([[_code(item) + 1 for item in listed] for listed in lists])
    content = {
        "rec.items": SimpleNamespace(numpy=lambda: matrix),
        "data.num_items": case["n_items"] + 1,  # with [PAD], which the measures leave out
    }
    config: dict[str, Any] = {"topk": list(CUTOFFS), "metric_decimal_place": 16}
    values: Values = {}
    for name in ("FairWORel", "IID_AID"):
        found = getattr(fairness_metrics, name)(config).calculate_metric(content)
        values |= {
            label: value_of(float(value), None, len(lists)) for label, value in found.items()
        }
    return values


def of_rampisela2024_joint(case: Case) -> Values:
    import joint_metrics
    import numpy as np

    n_items = case["n_items"]
    lists = [[_code(item) + 1 for item, _ in run] for run in case["run"].values()]
    if min(map(len, lists)) < max(CUTOFFS):
        raise ValueError("RecBole's lists have max(topk) items")
    matrix = np.array([listed[: max(CUTOFFS)] for listed in lists])
    whole = np.array(
        [[*own, *(item for item in range(1, n_items + 1) if item not in own)] for own in lists]
    )
    relevant = np.empty(len(lists), dtype=object)
    for row, user in enumerate(case["run"]):
        ratings = case["test"][user].items()
        liked = sorted(_code(item) + 1 for item, rating in ratings if rating >= THRESHOLD)
        relevant[row] = np.array(liked, dtype=np.int64)
    listed = np.array(
        [np.isin(own, liked) for own, liked in zip(matrix, relevant, strict=True)]
    ).astype(np.int64)
    content = {
        "rec.items": SimpleNamespace(numpy=lambda: matrix),
        "rec.all_items": whole,
        "rec.score": np.zeros((len(lists), n_items + 1)),
        "rec.topk": SimpleNamespace(numpy=lambda: listed),
        "data.num_items": n_items + 1,  # with [PAD], which the measures leave out
        "data.pos_items": relevant,
    }
    config: dict[str, Any] = {"topk": list(CUTOFFS), "metric_decimal_place": 16}
    values: Values = {}
    # HD depends on an unstable sort, and IFD_div is the same at all cut-offs: lists worked by hand
    # have their values (tests/metrics/whole_lists/test_hand_worked_lists.py).
    for name in ("IAArerank", "MME_IIF_AIF", "IBO_IWO", "IFDrerank"):
        found = getattr(joint_metrics, name)(config).calculate_metric(content)
        values |= {
            label: value_of(float(value), None, len(lists))
            for label, value in found.items()
            if not label.startswith(("IFD_div", "IBO_ori", "IWO_ori"))
        }
    return values


def of_lenskit(case: Case) -> Values:
    import numpy as np
    import pandas as pd
    from lenskit.data import ItemList, ItemListCollection, from_interactions_df
    from lenskit.metrics import ExposureGini, ListGini, RunAnalysis
    from lenskit.metrics.ranking import MeanPopRank
    from lenskit.metrics.ranking._entropy import entropy, rank_biased_entropy

    frame = pd.DataFrame(
        [(user, item) for user, own in case["train"].items() for item in own],
        columns=["user_id", "item_id"],
    )
    data = from_interactions_df(frame)
    lists, truth = (
        ItemListCollection.from_dict(
            {user: ItemList(list(own), ordered=ordered) for user, own in content.items()},
            key="user_id",
        )
        for content, ordered in (
            ({user: [item for item, _ in pairs] for user, pairs in case["run"].items()}, True),
            (case["test"], False),
        )
    )
    analysis = RunAnalysis()
    for k in CUTOFFS:
        analysis.add_metric(ListGini(k, items=case["n_items"]), label=f"ListGini@{k}")
        analysis.add_metric(ExposureGini(k, items=case["n_items"]), label=f"ExposureGini@{k}")
        analysis.add_metric(MeanPopRank(data, n=k), label=f"MeanPopRank@{k}")
    result = analysis.measure(lists, truth)
    table, whole = result.list_metrics(fill_missing=False), result.global_metrics()
    values: Values = {}
    for k in CUTOFFS:
        for of_tool in (entropy, rank_biased_entropy):
            # The function takes a row of categories for each item of the list.
            per_user = {
                user: of_tool(
                    ItemList([item for item, _ in pairs], ordered=True),
                    np.eye(3)[[_code(item) % 3 for item, _ in pairs]],
                    n=k,
                )
                for user, pairs in case["run"].items()
            }
            mean = float(np.mean(list(per_user.values())))
            name = f"{of_tool.__name__}@{k} groups=thirds"
            values[name] = value_of(mean, per_user, len(per_user))
        label = f"MeanPopRank@{k}"
        per_user = table[label].to_dict()
        values[label] = value_of(float(table[label].mean()), per_user, len(table))
        for name in ("ListGini", "ExposureGini"):
            values[f"{name}@{k}"] = value_of(float(whole[f"{name}@{k}"]), None, len(table))
    return values


def of_rectools(case: Case) -> Values:
    import numpy as np
    import pandas as pd
    from rectools import Columns
    from rectools.metrics import (
        AvgRecPopularity,
        CatalogCoverage,
        Intersection,
        IntraListDiversity,
        MeanInvUserFreq,
        PairwiseHammingDistanceCalculator,
        Serendipity,
    )

    recommended = pd.DataFrame(
        [
            (user, item, rank)
            for user, pairs in case["run"].items()
            for rank, (item, _) in enumerate(pairs, start=1)
        ],
        columns=[Columns.User, Columns.Item, Columns.Rank],
    )
    before = pd.DataFrame(
        [(user, item) for user, own in case["train"].items() for item in own],
        columns=[Columns.User, Columns.Item],
    )
    liked = pd.DataFrame(
        [
            (user, item)
            for user, own in case["test"].items()
            for item, rating in own.items()
            if rating >= THRESHOLD
        ],
        columns=[Columns.User, Columns.Item],
    )
    longest = recommended.groupby(Columns.User)[Columns.Rank].transform("max")
    backwards = recommended.assign(**{Columns.Rank: longest + 1 - recommended[Columns.Rank]})
    catalog = [f"i{code:02d}" for code in range(case["n_items"])]
    thirds = pd.DataFrame(np.eye(3)[np.arange(len(catalog)) % 3], index=catalog)
    distances = PairwiseHammingDistanceCalculator(thirds)
    values: Values = {}
    for k in CUTOFFS:
        coverage = CatalogCoverage(k=k, normalize=True).calc(recommended, catalog)
        values[f"CatalogCoverage@{k} normalize=True"] = value_of(float(coverage))
        for label, metric in (
            (f"AvgRecPopularity@{k}", AvgRecPopularity(k=k)),
            (f"AvgRecPopularity@{k} normalize=True", AvgRecPopularity(k=k, normalize=True)),
            (f"MeanInvUserFreq@{k}", MeanInvUserFreq(k=k)),
        ):
            table = metric.calc_per_user(recommended, before)
            mean = float(metric.calc(recommended, before))
            values[label] = value_of(mean, table.to_dict(), len(table))
        surprise = Serendipity(k=k).calc_per_user(recommended, liked, before, catalog)
        values[f"Serendipity@{k}"] = value_of(
            float(surprise.mean()), surprise.to_dict(), len(surprise)
        )
        shared = Intersection(k=k, ref_k=12).calc_per_user(recommended, backwards)
        values[f"Intersection@{k} ref_k=12"] = value_of(
            float(shared.mean()), shared.to_dict(), len(shared)
        )
        diversity = IntraListDiversity(k=k, distance_calculator=distances)
        table = diversity.calc_per_user(recommended)
        values[f"IntraListDiversity@{k} groups=thirds"] = value_of(
            float(table.mean()), table.to_dict(), len(table)
        )
    return values


def of_recpack(case: Case) -> Values:
    import numpy as np
    import recpack.metrics as recpack_metrics
    from scipy.sparse import csr_matrix

    users = list(case["run"])
    true, predicted = np.zeros((2, len(users), case["n_items"]))
    for row, user in enumerate(users):
        for item in case["test"].get(user, {}):
            true[row, _code(item)] = 1
        for item, score in case["run"][user]:
            predicted[row, _code(item)] = score
    values: Values = {}
    for k in CUTOFFS:
        metric = recpack_metrics.CoverageK(k)
        metric.calculate(csr_matrix(true), csr_matrix(predicted))
        values[f"CoverageK@{k}"] = value_of(float(metric.value), None, len(users))
        metric = recpack_metrics.IntraListDiversityK(k)
        metric.fit(csr_matrix(np.eye(3)[np.arange(case["n_items"]) % 3]))
        metric.calculate(csr_matrix(true), csr_matrix(predicted))
        own = metric.scores_.toarray()[:, 0]
        values[f"IntraListDiversityK@{k} groups=thirds"] = value_of(
            float(own.mean()), dict(zip(users, own, strict=True)), len(users)
        )
    return values


def of_replay(case: Case) -> Values:
    from replay.metrics import (
        CategoricalDiversity,
        Coverage,
        Novelty,
        PerUser,
        Surprisal,
        Unexpectedness,
    )

    run = {user: [tuple(pair) for pair in pairs] for user, pairs in case["run"].items()}
    counts = Counter(_trained(case))
    # Unexpected is what the most popular items do not have; of equal ones the first comes first.
    ordered = sorted((f"i{code:02d}" for code in range(case["n_items"])), key=lambda i: -counts[i])
    popular = {
        user: [(item, -rank) for rank, item in enumerate(ordered) if item not in set(own)]
        for user, own in case["train"].items()
    }
    values: Values = {}
    coverage = Coverage(list(CUTOFFS))(run, case["train"])
    for k in CUTOFFS:
        values[f"Coverage@{k}"] = value_of(float(coverage[f"Coverage@{k}"]), None, len(run))
    thirds = {user: [(_code(item) % 3, score) for item, score in own] for user, own in run.items()}
    # Lists have no training item, so that some of their items are named as such.
    seen = {
        user: [*case["train"][user], *(item for item, _ in own if _code(item) % 3 == 0)]
        for user, own in run.items()
    }
    for of_tool, options, given in (
        (Novelty, " seen=thirds", (run, seen)),
        (Surprisal, "", (run, case["train"])),
        (Unexpectedness, "", (run, popular)),
        (CategoricalDiversity, " groups=thirds", (thirds,)),
    ):
        name = of_tool.__name__
        means = of_tool(list(CUTOFFS))(*given)
        tables = of_tool(list(CUTOFFS), mode=PerUser())(*given)
        for k in CUTOFFS:
            per_user = {user: float(own) for user, own in tables[f"{name}-PerUser@{k}"].items()}
            values[f"{name}@{k}{options}"] = value_of(
                float(means[f"{name}@{k}"]), per_user, len(per_user)
            )
    return values


def of_warprec(case: Case) -> Values:
    import numpy as np
    import torch
    from scipy.sparse import csr_matrix
    from warprec_metrics import metric_class

    # Numbers of 16 digits tell definitions apart; WarpRec itself computes in single precision.
    torch.set_default_dtype(torch.float64)
    torch.Tensor.float, torch.float = torch.Tensor.double, torch.float64  # type: ignore[method-assign]
    # Its short head has equally popular items in any order; here the first comes first.
    torch.sort = partial(torch.sort, stable=True)
    users, n_items = sorted(case["run"]), case["n_items"]
    predicted = torch.zeros((len(users), n_items))
    ground = torch.zeros((len(users), n_items))
    for row, user in enumerate(users):
        if len(case["run"][user]) < max(CUTOFFS):
            raise ValueError("the dense matrix ranks items that are not listed")
        # As the evaluator: training items are out of reach, all others have a score.
        for item in case["train"][user]:
            predicted[row, _code(item)] = -torch.inf
        for item, score in case["run"][user]:
            predicted[row, _code(item)] = score
        for item, rating in case["test"][user].items():
            ground[row, _code(item)] = rating * (rating >= THRESHOLD)
    counts = Counter(_trained(case))
    interactions = torch.tensor([counts[f"i{code:02d}"] for code in range(n_items)]).double()
    thirds = torch.arange(n_items) % 3
    trained = np.zeros((len(users), n_items))
    for row, user in enumerate(users):
        trained[row, [_code(item) for item in case["train"][user]]] = 1
    given = {
        "user_cluster": torch.tensor([_group(user) + 1 for user in users]),
        "train_matrix": csr_matrix(trained),
        "metric_names": ["Precision", "Recall"],
        "utopia_points": [1.0, 1.0],
        "nadir_points": [0.0, 0.0],
        "higher_is_better": [True, True],
        "num_users": len(users),
        "num_items": n_items,
        "item_interactions": interactions,
        "item_cluster": thirds + 1,
        "feature_lookup": torch.eye(3)[thirds],
        # As evaluation/propensity.py estimates them by default.
        "propensity": (interactions / interactions.max()).sqrt().clamp(min=0.1, max=1.0),
    }
    values: Values = {}
    # Of others, as their names tell.
    for name in ("Precision", "Recall"):
        metric_class(name, f"accuracy.{name.lower()}")
    for name, module in (
        ("ItemCoverage", "coverage.item_coverage"),
        ("Gini", "diversity.gini_index"),
        ("ShannonEntropy", "diversity.shannon_entropy"),
        ("SRecall", "diversity.srecall"),
        ("ARP", "bias.arp"),
        ("APLT", "bias.aplt"),
        ("ACLT", "bias.aclt"),
        ("PopREO", "bias.pop_reo"),
        ("PopRSP", "bias.pop_rsp"),
        ("EFD", "novelty.efd"),
        ("EPC", "novelty.epc"),
        ("REO", "fairness.reo"),
        ("RSP", "fairness.rsp"),
        ("BiasDisparityBS", "fairness.biasdisparitybs"),
        ("BiasDisparityBR", "fairness.biasdisparitybr"),
        ("BiasDisparityBD", "fairness.biasdisparitybd"),
        ("ItemMADRanking", "fairness.itemmadranking"),
        ("ItemMADRating", "fairness.itemmadrating"),
        ("UserMADRanking", "fairness.usermadranking"),
        ("UserMADRating", "fairness.usermadrating"),
        ("EucDistance", "multiobjective.euclideandistance"),
        ("Hypervolume", "multiobjective.hypervolume"),
        ("IPSRecall", "debiased.recall"),
        ("SNIPSRecall", "debiased.recall"),
        ("IPSDCG", "debiased.dcg"),
        ("SNIPSDCG", "debiased.dcg"),
        ("LogLoss", "accuracy.logloss"),
    ):
        groups = " groups=thirds" * (name in ("SRecall", "REO", "RSP") or "ItemMAD" in name)
        groups += " groups=halves" * ("UserMAD" in name) + " scores=/200-2" * (name == "LogLoss")
        for k in CUTOFFS:
            own = metric_class(name, module)
            metric = own(k=k, **given)
            blocks = {
                "ground": ground,
                "binary_relevance": own.binary_relevance(ground),
                "valid_users": own.valid_users(ground),
                "discounted_relevance": own.discounted_relevance(ground),
                f"top_{k}_values": own.top_k_values_indices(predicted, k)[0],
                f"top_{k}_indices": own.top_k_values_indices(predicted, k)[1],
                f"top_{k}_discounted_relevance": own.top_k_relevance(
                    predicted, own.discounted_relevance(ground), k
                ),
                f"top_{k}_binary_relevance": own.top_k_relevance(
                    predicted, own.binary_relevance(ground), k
                ),
            }
            if name == "LogLoss":
                # Here of the first k items alone: it leaves out items without a score.
                last = own.top_k_values_indices(predicted, k)[0][:, -1:]
                blocks["preds"] = torch.where(predicted >= last, predicted / 200 - 2, -torch.inf)
            blocks = {"preds": predicted, **blocks}
            metric.update(user_indices=torch.arange(len(users)), **blocks)
            computed = metric.compute()
            if name.startswith("BiasDisparity"):
                for place, value in enumerate(computed.values()):
                    label = f"{name}@{k} groups=thirds users={place // 3} items={place % 3}"
                    values[label] = value_of(float(value), None, None)
                continue
            found = torch.as_tensor(computed.get(name, next(iter(computed.values()))))
            if found.ndim == 0:
                values[f"{name}@{k}{groups}"] = value_of(float(found), None, len(users))
                continue
            per_user = {
                user: value
                for user, value in zip(users, found.tolist(), strict=True)
                if value == value  # NaN for users without a relevant item
            }
            mean = float(found.nanmean())
            values[f"{name}@{k}{groups}"] = value_of(mean, per_user, len(per_user))
    return values


TOOLS: dict[str, tuple[Callable[[Case], Values], str, list[str]]] = {
    "elliot": (of_elliot, "elliot/evaluation/metrics", ["numpy", "pandas"]),
    "lenskit": (of_lenskit, "lenskit/metrics/ranking", ["lenskit", "numpy", "pandas"]),
    "rampisela2024": (of_rampisela2024, "recbole/evaluator/metrics.py", ["numpy", "scipy"]),
    "rampisela2024-joint": (
        of_rampisela2024_joint,
        "recbole/evaluator/metrics.py",
        ["numpy", "scipy"],
    ),
    "recbole": (of_recbole, "recbole/evaluator/metrics.py", ["recbole", "numpy", "torch"]),
    "recpack": (of_recpack, "recpack/metrics", ["recpack", "numpy", "scipy"]),
    "rectools": (of_rectools, "rectools/metrics", ["rectools", "numpy", "pandas"]),
    "replay": (of_replay, "replay/metrics", ["replay-rec", "numpy", "polars"]),
    "warprec": (of_warprec, "warprec/evaluation/metrics", ["warprec", "torch"]),
}

LEFT_OUT = ("binary", "full", "missing", "negative", "ties")
"""They differ only in ratings, or in missing lists, for which tools have no values."""

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tool = sys.argv[1]
    sys.path[:0] = sys.argv[2:]
    function, source, packages = TOOLS[tool]
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_fixture(
        tool,
        source,
        packages,
        {"relevance threshold": THRESHOLD},
        function,
        tool_version=f"commit {COMMITS[tool]}" if tool in COMMITS else None,
        leave_out=dict.fromkeys(LEFT_OUT, "not evaluated"),
        folder=FOLDER,
    )
