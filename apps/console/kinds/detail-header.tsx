import {
  ActionButton,
  client,
  DeleteButton,
  KindActions,
  PageHeader,
  PageLink,
  paths,
  ReasonedButton,
  StateBadge,
  useGo,
  useWhyNot,
} from "@reeve/kit";
import { type Resource, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconPencil, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { named } from "./words.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
}

interface HeaderProps extends Props {
  /** Actions that a tab offers in a way of its own. */
  readonly except: readonly string[];
}

/** What it is, and everything that can be done to it. */
export function DetailHeader({ kind, resource, except }: HeaderProps) {
  const { scope, name, deletingAt, paused } = resource.metadata;
  const go = useGo();
  const why = useWhyNot("update", resource);
  return (
    <PageHeader
      title={name}
      mono
      above={
        <>
          <PageLink to={paths.list(kind, scope)}>{named(kind)}</PageLink> in{" "}
          <span className="mono">{showScope(scope)}</span>
        </>
      }
      beside={
        <>
          {deletingAt !== undefined && <StateBadge state="deleting" />}
          {paused && <StateBadge state="paused" />}
        </>
      }
      actions={
        <>
          <KindActions kind={kind} resource={resource} except={except} />
          <PauseButton kind={kind} resource={resource} why={why} />
          <ReasonedButton
            label="Edit"
            icon={<IconPencil size={14} />}
            why={why}
            onClick={() => go(paths.edit(kind, scope, name))}
          />
          <DeleteButton
            kind={kind}
            resource={resource}
            onDone={(gone) => gone && go(paths.list(kind, scope))}
          />
        </>
      }
    />
  );
}

/** Reconcilers leave a paused resource alone. */
function PauseButton({ kind, resource, why }: Props & { readonly why: string | undefined }) {
  const { scope, name, paused = false } = resource.metadata;
  return (
    <ActionButton
      label={paused ? "Resume" : "Pause"}
      icon={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
      why={why}
      run={(options) => client.kind(kind).patch(scope, name, { metadata: { paused: !paused } }, options)}
      done={paused ? `${name} goes on` : `${name} is paused: Reeve leaves it alone`}
    />
  );
}
