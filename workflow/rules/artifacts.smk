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
        unpack(lambda w: plan_of(w).artifacts.inputs(w.study, w.artifact)),
    output:
        results=report(
            "work/{edition}/artifacts/{study}/{artifact}.csv",
            caption="../report/results.rst",
            category="{study}",
            subcategory="Results",
            labels=titled("results of"),
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/compute_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/compute_{artifact}.tsv",
    group:
        lambda w: plan_of(w).sizes.artifact(w.study, w.artifact).group("study")
    resources:
        **requested(lambda w: plan_of(w).sizes.artifact(w.study, w.artifact)),
    params:
        function=lambda w: plan_of(w).artifacts.computing_function(w.study, w.artifact),
        description=lambda w: plan_of(w).descriptions.results(w.study, w.artifact),
        code=digest_of(
            "artifacts:compute_artifact",
            lambda w: plan_of(w).artifacts.results_entries(w.study, w.artifact),
        ),
    message:
        "Compute the numbers of {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        run_job("artifacts:compute_artifact", input, output, params, log)


rule draw_figure:
    input:
        results="work/{edition}/artifacts/{study}/{artifact}.csv",
    output:
        drawing=report(
            "work/{edition}/artifacts/{study}/{artifact}.svg",
            caption="../report/artifact.rst",
            category="{study}",
            subcategory="Figures",
            labels=titled("figure"),
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/draw_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/draw_{artifact}.tsv",
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        function=lambda w: plan_of(w).artifacts.showing_function(w.study, w.artifact),
        display=lambda w: plan_of(w).descriptions.display(w.study, w.artifact),
        code=digest_of(
            "artifacts:draw_figure",
            lambda w: [plan_of(w).artifacts.showing_function(w.study, w.artifact)],
        ),
    message:
        "Draw {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        run_job("artifacts:draw_figure", input, output, params, log)


use rule draw_figure as draw_figure_as_pdf with:
    output:
        drawing="work/{edition}/artifacts/{study}/{artifact}.pdf",
    log:
        messages="work/{edition}/artifacts/{study}/logs/draw_{artifact}_as_pdf.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/draw_{artifact}_as_pdf.tsv",
    message:
        "Draw {wildcards.study}/{wildcards.artifact} as PDF ({wildcards.edition})"


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
            labels=titled("table"),
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/write_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/write_{artifact}.tsv",
    wildcard_constraints:
        artifact=f"(?!({PAGES}|index)[.])[a-z0-9_]+",
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        function=lambda w: plan_of(w).artifacts.showing_function(w.study, w.artifact),
        display=lambda w: plan_of(w).descriptions.display(w.study, w.artifact),
        code=digest_of(
            "artifacts:write_table",
            lambda w: [plan_of(w).artifacts.showing_function(w.study, w.artifact)],
        ),
    message:
        "Write the table {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        run_job("artifacts:write_table", input, output, params, log)


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
            labels=titled("table"),
        ),
    log:
        messages="work/{edition}/artifacts/{study}/logs/write_{artifact}.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/write_{artifact}.tsv",
    wildcard_constraints:
        artifact=PAGES,
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        function=lambda w: plan_of(w).artifacts.showing_function(w.study, w.artifact),
        display=lambda w: plan_of(w).descriptions.display(w.study, w.artifact),
        code=digest_of(
            "artifacts:write_page",
            lambda w: [plan_of(w).artifacts.showing_function(w.study, w.artifact)],
        ),
    message:
        "Write the page of {wildcards.study}/{wildcards.artifact} ({wildcards.edition})"
    run:
        run_job("artifacts:write_page", input, output, params, log)


rule record_provenance:
    input:
        unpack(lambda w: plan_of(w).studies.provenance_inputs(w.study)),
    output:
        record="work/{edition}/artifacts/{study}/provenance.json",
    log:
        messages="work/{edition}/artifacts/{study}/logs/record_provenance.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/record_provenance.tsv",
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        config=lambda w: plan_of(w).studies.description(w.study),
        absent=lambda w: plan_of(w).studies.absent(w.study),
        digests=lambda w: plan_of(w).code_digests.of_study(w.study),
        versions=versions(),
        code=digest_of("artifacts:record_provenance"),
    message:
        "Record what {wildcards.study} was made from ({wildcards.edition})"
    run:
        run_job("artifacts:record_provenance", input, output, params, log)


rule write_index:
    input:
        unpack(lambda w: plan_of(w).claims.index_inputs(w.study)),
    output:
        index="work/{edition}/artifacts/{study}/index.md",
    log:
        messages="work/{edition}/artifacts/{study}/logs/write_index.log",
        benchmark="work/{edition}/artifacts/{study}/benchmarks/write_index.tsv",
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        study=lambda w: plan_of(w).studies.page(w.study),
        code=digest_of("publishing:write_index"),
    message:
        "Write the page of the study {wildcards.study} ({wildcards.edition})"
    run:
        run_job("publishing:write_index", input, output, params, log)
