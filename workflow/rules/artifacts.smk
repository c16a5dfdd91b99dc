# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/...                     ratings, splits and ranks an artifact reads
  config/studies/<study>.yaml
OUTPUTS
  work/<edition>/artifacts/<study>/<artifact>.csv  the results
  work/<edition>/artifacts/<study>/<artifact>.svg, .pdf (figures), .md, .tex (tables) or .md (pages)
  work/<edition>/artifacts/<study>/index.md        every figure and what it shows
  work/<edition>/artifacts/<study>/provenance.json
  work/<edition>/pages/<study>/<artifact>.html     tables and pages as the report shows them
"""

from receval.figures.display import heading

# Pages and tables are both written as <artifact>.md.
PAGES = (
    "|".join(
        sorted({name for plan in PLANS.values() for name in plan.artifacts.pages()})
    )
    or "-"
)


report: "../report/workflow.rst"


rule compute_artifact:
    input:
        unpack(lambda w: PLANS[w.edition].artifacts.inputs(w.study, w.artifact)),
    output:
        results=report(
            "work/{edition}/artifacts/{study}/{artifact}.csv",
            caption="../report/results.rst",
            category="{study}",
            subcategory="Results",
            labels=lambda w: {
                "results of": heading(
                    w.artifact,
                    PLANS[w.edition].artifacts.spec(w.study, w.artifact).title,
                )
            },
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/compute_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/compute_{artifact}.tsv",
    group:
        lambda w: PLANS[w.edition].sizes.artifact(w.study, w.artifact).group("study")
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition]
        .sizes.artifact(w.study, w.artifact)
        .memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition]
        .sizes.artifact(w.study, w.artifact)
        .runtime(attempt),
    params:
        module=lambda w: PLANS[w.edition].artifacts.module(w.study, w.artifact),
        description=lambda w: PLANS[w.edition].descriptions.results(w.study, w.artifact),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.artifacts:compute_artifact",
            *PLANS[w.edition].artifacts.results_entries(w.study, w.artifact),
        ),
    message:
        "Compute the numbers of {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.artifacts:compute_artifact",
            input,
            output,
            params,
            log,
        )


rule draw_figure:
    input:
        results="work/{edition}/artifacts/{study}/{artifact}.csv",
    output:
        svg=report(
            "work/{edition}/artifacts/{study}/{artifact}.svg",
            caption="../report/artifact.rst",
            category="{study}",
            subcategory="Figures",
            labels=lambda w: {
                "figure": heading(
                    w.artifact,
                    PLANS[w.edition].artifacts.spec(w.study, w.artifact).title,
                )
            },
        ),
        pdf="work/{edition}/artifacts/{study}/{artifact}.pdf",
    log:
        messages="work/{edition}/artifacts/{study}/logs/draw_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/draw_{artifact}.tsv",
    group:
        "study"
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        module=lambda w: PLANS[w.edition].artifacts.module(w.study, w.artifact),
        display=lambda w: PLANS[w.edition].descriptions.display(w.study, w.artifact),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.artifacts:draw_figure",
            PLANS[w.edition].artifacts.shown_entry(w.study, w.artifact),
        ),
    message:
        "Draw {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.artifacts:draw_figure",
            input,
            output,
            params,
            log,
        )


rule write_table:
    input:
        results="work/{edition}/artifacts/{study}/{artifact}.csv",
    output:
        markdown="work/{edition}/artifacts/{study}/{artifact}.md",
        latex="work/{edition}/artifacts/{study}/{artifact}.tex",
        shown=report(
            "work/{edition}/pages/{study}/{artifact}.html",
            caption="../report/artifact.rst",
            category="{study}",
            subcategory="Tables",
            labels=lambda w: {
                "table": heading(
                    w.artifact,
                    PLANS[w.edition].artifacts.spec(w.study, w.artifact).title,
                )
            },
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/write_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/write_{artifact}.tsv",
    wildcard_constraints:
        artifact=f"(?!({PAGES}|index)[.])[a-z0-9_]+",
    group:
        "study"
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        module=lambda w: PLANS[w.edition].artifacts.module(w.study, w.artifact),
        display=lambda w: PLANS[w.edition].descriptions.display(w.study, w.artifact),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.artifacts:write_table",
            PLANS[w.edition].artifacts.shown_entry(w.study, w.artifact),
        ),
    message:
        "Write the table {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.artifacts:write_table",
            input,
            output,
            params,
            log,
        )


rule write_page:
    input:
        results="work/{edition}/artifacts/{study}/{artifact}.csv",
    output:
        page="work/{edition}/artifacts/{study}/{artifact}.md",
        shown=report(
            "work/{edition}/pages/{study}/{artifact}.html",
            caption="../report/artifact.rst",
            category="{study}",
            subcategory="Tables",
            labels=lambda w: {
                "table": heading(
                    w.artifact,
                    PLANS[w.edition].artifacts.spec(w.study, w.artifact).title,
                )
            },
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/write_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/write_{artifact}.tsv",
    wildcard_constraints:
        artifact=PAGES,
    group:
        "study"
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        module=lambda w: PLANS[w.edition].artifacts.module(w.study, w.artifact),
        display=lambda w: PLANS[w.edition].descriptions.display(w.study, w.artifact),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.artifacts:write_page",
            PLANS[w.edition].artifacts.shown_entry(w.study, w.artifact),
        ),
    message:
        "Write the page of {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.artifacts:write_page",
            input,
            output,
            params,
            log,
        )


rule record_provenance:
    input:
        unpack(lambda w: PLANS[w.edition].studies.provenance_inputs(w.study)),
    output:
        record="work/{edition}/artifacts/{study}/provenance.json",
    log:
        messages="work/{edition}/artifacts/{study}/logs/record_provenance.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/record_provenance.tsv",
    group:
        "study"
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        config=lambda w: PLANS[w.edition].studies.description(w.study),
        absent=lambda w: PLANS[w.edition].studies.absent(w.study),
        digests=lambda w: PLANS[w.edition].code_digests.of_study(w.study),
        versions=versions(),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.artifacts:record_provenance"
        ),
    message:
        "Record what {wildcards.study} was made from ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.artifacts:record_provenance",
            input,
            output,
            params,
            log,
        )


rule write_index:
    input:
        unpack(lambda w: PLANS[w.edition].claims.index_inputs(w.study)),
    output:
        index="work/{edition}/artifacts/{study}/index.md",
    log:
        messages="work/{edition}/artifacts/{study}/logs/write_index.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/write_index.tsv",
    group:
        "study"
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        study=lambda w: PLANS[w.edition].studies.page(w.study),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.publishing:write_index"
        ),
    message:
        "Write the page of the study {wildcards.study} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.publishing:write_index",
            input,
            output,
            params,
            log,
        )
