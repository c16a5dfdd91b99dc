from __future__ import annotations

import re
import subprocess
import zipfile

from workflow.running import FIG02, Workflow


def jobs_of(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    text = done.stdout + done.stderr
    table = text[text.index("Job stats:") :]
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.M)}


def test_a_study_is_a_target_and_makes_only_its_artifacts(finished: Workflow) -> None:
    planned = finished.planned("canamares2020")
    artifacts = {job.split()[1] for job in planned if " " in job}
    assert artifacts == {"table1", "fig01"}


def test_one_artifact_is_a_target_and_makes_only_what_it_needs(finished: Workflow) -> None:
    planned = finished.planned("work/demo/artifacts/bellogin2017/fig07.svg")
    assert planned == {"compute_artifact fig07", "draw_figure fig07"}


def test_the_whole_demo_has_fewer_than_a_thousand_jobs(finished: Workflow) -> None:
    done = finished.run("-n", "--quiet", "rules", "--config", "leave_out=[]")
    assert 50 < jobs_of(done)["total"] < 1000


def test_a_dry_run_names_every_dataset_and_how_to_get_it(finished: Workflow) -> None:
    done = finished.run(
        "-n", "--config", "edition=full", "network=off", "local_mirrors=[]", "leave_out=[]"
    )
    for name in ("ml-1m", "netflix", "librarything", "yahoo-r3", "trec-qrels"):
        assert re.search(rf"^{name} +absent", done.stderr, re.M), done.stderr
    assert "work/raw/yahoo-r3" in done.stderr
    assert "train_system" not in jobs_of(done)


def test_without_network_no_connection_is_tried(finished: Workflow) -> None:
    guard = finished.folder / "src" / "sitecustomize.py"
    guard.write_text(
        "import socket\n"
        "def refuse(*_, **__):\n"
        "    raise AssertionError('the network was touched')\n"
        "socket.socket.connect = socket.create_connection = refuse\n"
        "socket.getaddrinfo = refuse\n"
    )
    try:
        finished.run(
            "-n", "--config", "edition=full", "network=off", "local_mirrors=[]", "leave_out=[]"
        )
    finally:
        guard.unlink()


def test_an_unknown_option_is_refused_with_a_sentence(finished: Workflow) -> None:
    done = finished.run("-n", FIG02, "--config", "netwrok=off", check=False)
    assert done.returncode != 0
    assert "netwrok: there is no such key" in done.stdout + done.stderr


def test_the_workflow_passes_snakemakes_own_lint(finished: Workflow) -> None:
    done = finished.run("--lint")
    assert "your workflow is in a good condition" in done.stdout + done.stderr


def test_the_report_has_the_artifacts_with_captions_and_categories(finished: Workflow) -> None:
    finished.run(FIG02, "--report", "work/report.zip")
    with zipfile.ZipFile(finished.folder / "work/report.zip") as archive:
        text = "".join(
            archive.read(name).decode("utf-8", "ignore")
            for name in archive.namelist()
            if name.endswith((".html", ".js"))
        )
    assert "ranking-oriented forms that the paper does not have" in text
    assert "bellogin2017" in text
    assert "fig02.svg" in text
