import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { client } from "../client.ts";
import { ActionButton } from "../ui/action-button.tsx";
import { useWhyNot } from "./use-why-not.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** What it means, after its name. */
  readonly paused: string;
  readonly resumed: string;
}

/** Nothing is done with a paused resource until somebody resumes it. */
export function PauseButton({ kind, resource, ...words }: Props) {
  const { scope, name, paused = false } = resource.metadata;
  return (
    <ActionButton
      label={paused ? "Resume" : "Pause"}
      icon={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
      why={useWhyNot("update", resource)}
      run={(options) => client.kind(kind).patch(scope, name, { metadata: { paused: !paused } }, options)}
      done={`${name} ${paused ? words.resumed : words.paused}`}
    />
  );
}
