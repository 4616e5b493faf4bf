"""What a program of a user does with Langfuse's client; prints the ids, and what the client read back, as one line of JSON."""

import json

from langfuse import Evaluation, Langfuse, propagate_attributes

langfuse = Langfuse()
facts = {"authenticated": langfuse.auth_check()}

with langfuse.start_as_current_observation(name="python-agent", as_type="agent", input={"q": "Weather in Paris?"}) as agent:
    with propagate_attributes(user_id="user-1", session_id="session-python", tags=["python"], metadata={"team": "blue"}):
        with langfuse.start_as_current_observation(name="plan", as_type="chain") as plan:
            generation = langfuse.start_observation(
                name="llm-call",
                as_type="generation",
                model="gpt-4o-mini",
                input=[{"role": "user", "content": "Weather in Paris?"}],
                model_parameters={"temperature": 0.5},
            )
            generation.update(
                output={"role": "assistant", "content": "Sunny"},
                usage_details={"input": 12, "output": 5, "cache_read_input_tokens": 4},
                cost_details={"input": 0.25, "output": 0.5},
            )
            generation.score(name="tone", value="kind", data_type="CATEGORICAL")
            generation.end()
            plan.update(output={"steps": 1})
    agent.update(output="Sunny")
    agent.score_trace(name="helpful", value=1, data_type="BOOLEAN", comment="good")
    facts["traceId"] = agent.trace_id

langfuse.create_prompt(name="team/greeting", prompt="Hello {{name}}", labels=["production"], config={"temperature": 0.5})
langfuse.create_prompt(name="team/greeting", prompt="Hi {{name}}", labels=["staging"], commit_message="Shorter")
for label in ("production", "staging"):
    prompt = langfuse.get_prompt("team/greeting", label=label, cache_ttl_seconds=0)
    facts[label] = [prompt.version, prompt.compile(name="Ada"), prompt.config]

langfuse.create_dataset(name="capitals/python", description="Questions", metadata={"owner": "me"})
for country, capital in (("France", "Paris"), ("Italy", "Rome")):
    langfuse.create_dataset_item(
        dataset_name="capitals/python", id=f"python {country}", input={"q": f"Capital of {country}?"}, expected_output=capital
    )
# Both send null for what is not named here.
again = langfuse.create_dataset(name="capitals/python")
item = langfuse.create_dataset_item(dataset_name="capitals/python", id="python Italy", status="ACTIVE")
facts["keptByUpserts"] = [again.description, again.metadata, item.input, item.expected_output]


def experiment(run_name, answer):
    return langfuse.get_dataset("capitals/python").run_experiment(
        name="python",
        run_name=run_name,
        description="As in the manual",
        metadata={"commit": "abc"},
        task=answer,
        evaluators=[lambda *, output, expected_output, **_: Evaluation(name="exact", value=float(output == expected_output))],
        run_evaluators=[lambda *, item_results, **_: Evaluation(name="answered", value=len(item_results))],
    )


kept = experiment("kept / run", lambda *, item, **_: item.expected_output)
langfuse.flush()
experiment("deleted / run", lambda **_: "I do not know")

# Version 5 makes runs of spans alone, and neither reads nor deletes them.
if hasattr(langfuse, "get_dataset_run"):
    read = langfuse.get_dataset_run(dataset_name="capitals/python", run_name="kept / run")
    langfuse.delete_dataset_run(dataset_name="capitals/python", run_name="deleted / run")
    facts["ofRuns"] = {
        "runId": kept.dataset_run_id,
        "readRun": {"id": read.id, "items": sorted(item.dataset_item_id for item in read.dataset_run_items)},
        "runsLeft": [run.name for run in langfuse.get_dataset_runs(dataset_name="capitals/python").data],
    }

langfuse.shutdown()
print(json.dumps(facts))
