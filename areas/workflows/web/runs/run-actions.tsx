import { TextInput } from "@mantine/core";
import { ActionButton, client, paths, useGo } from "@reeve/kit";
import { hasEnded, type Run, retryFailedCan, runCan } from "@reeve/model";
import { IconBan, IconPlayerPause, IconPlayerPlay, IconRefresh, IconReload } from "@tabler/icons-react";
import { useState } from "react";
import { Workflow } from "../../kinds/index.ts";
import { RetryNewer } from "./retry-newer.tsx";
import { useWhyNot } from "./run-rights.ts";

/** What can be done with a run as a whole. What cannot says why. */
export function RunActions({ run }: { readonly run: Run }) {
  const { id, scope, about } = run;
  const go = useGo();
  const [why, setWhy] = useState("");
  const whyNot = {
    retry: useWhyNot("retry", scope, runCan("retry", run)),
    retryFailed: useWhyNot("retry", scope, retryFailedCan(run)),
    pause: useWhyNot("pause", scope, runCan("pause", run)),
    resume: useWhyNot("resume", scope, runCan("resume", run)),
    cancel: useWhyNot("cancel", scope, runCan("cancel", run)),
  };
  const toRun = (done: Run) => done.id !== id && go(paths.run(done.id));
  const mayBeMended = about.kind === Workflow.name && hasEnded(run.state) && run.state !== "succeeded";
  return (
    <>
      {mayBeMended && <RetryNewer run={run} />}
      <ActionButton
        label="Retry from failed"
        icon={<IconRefresh size={14} />}
        variant={run.state === "failed" ? "filled" : "default"}
        why={whyNot.retryFailed}
        run={(options) => client.runs.retry(id, "failed", options)}
        done="What did not succeed is done over"
        onDone={toRun}
      />
      <ActionButton
        label="Retry all"
        icon={<IconReload size={14} />}
        why={whyNot.retry}
        confirm={{
          title: "Do the whole run over?",
          text: "Every step is done again, also those that succeeded.",
        }}
        run={(options) => client.runs.retry(id, "start", options)}
        done="The run is done over"
        onDone={toRun}
      />
      {run.paused ? (
        <ActionButton
          label="Resume"
          icon={<IconPlayerPlay size={14} />}
          why={whyNot.resume}
          run={(options) => client.runs.resume(id, options)}
          done="The run goes on"
        />
      ) : (
        <ActionButton
          label="Pause"
          icon={<IconPlayerPause size={14} />}
          why={whyNot.pause}
          run={(options) => client.runs.pause(id, options)}
          done="The run begins no further step"
        />
      )}
      <ActionButton
        label="Cancel run"
        icon={<IconBan size={14} />}
        why={whyNot.cancel}
        confirm={{
          title: "Cancel this run?",
          danger: true,
          text: (
            <>
              Steps under way are stopped; cleanup steps are still done.
              <TextInput
                label="Why (optional)"
                value={why}
                onChange={(event) => setWhy(event.currentTarget.value)}
                maxLength={500}
              />
            </>
          ),
        }}
        run={(options) => client.runs.cancel(id, why, options)}
        done="The run is being cancelled"
      />
    </>
  );
}
