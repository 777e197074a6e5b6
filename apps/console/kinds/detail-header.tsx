import { KindActions, PauseButton, ResourceHead, StateBadge } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { named } from "./words.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** Actions that a tab offers in a way of its own. */
  readonly except: readonly string[];
}

/** What it is, and everything that can be done to it. */
export function DetailHeader({ kind, resource, except }: Props) {
  const { deletingAt, paused } = resource.metadata;
  return (
    <ResourceHead
      kind={kind}
      resource={resource}
      many={named(kind)}
      state={
        <>
          {deletingAt !== undefined && <StateBadge state="deleting" />}
          {paused && <StateBadge state="paused" />}
        </>
      }
    >
      <KindActions kind={kind} resource={resource} except={except} />
      <PauseButton
        kind={kind}
        resource={resource}
        paused="is paused: Reeve leaves it alone"
        resumed="goes on"
      />
    </ResourceHead>
  );
}
