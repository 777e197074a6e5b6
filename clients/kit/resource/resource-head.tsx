import { type Resource, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { PageLink, useGo } from "../link.tsx";
import { paths } from "../paths.ts";
import { ReasonedButton } from "../ui/action-button.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { ActElsewhere } from "./act-elsewhere.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { PauseButton } from "./pause-button.tsx";
import { useWhyNot } from "./use-why-not.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** What the page with all of them is called. */
  readonly many: string;
  /** Beside the name: how it is. */
  readonly state: ReactNode;
  readonly lead?: ReactNode;
  /** What can be done with it, beside what every resource can be: paused, changed and deleted. */
  readonly children: ReactNode;
  /** Actions that a tab offers in a way of its own, each with its tab. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** What a pause of it means, after its name. */
  readonly pausing?: { readonly paused: string; readonly resumed: string };
  /** What its deletion means beyond itself. */
  readonly means?: string | undefined;
}

const usualPausing = { paused: "is paused: Reeve leaves it alone", resumed: "goes on" };

/** The head of a resource's page: its name, its state, and what can be done with it. */
export function ResourceHead(props: Props) {
  const {
    kind,
    resource,
    many,
    state,
    lead,
    children,
    elsewhere = {},
    pausing = usualPausing,
    means,
  } = props;
  const { scope, name } = resource.metadata;
  const go = useGo();
  return (
    <PageHeader
      title={name}
      mono
      above={
        <>
          <PageLink to={paths.list(kind, scope)}>{many}</PageLink> of{" "}
          <span className="mono">{showScope(scope)}</span>
        </>
      }
      beside={state}
      lead={lead}
      actions={
        <>
          {children}
          <PauseButton kind={kind} resource={resource} {...pausing} />
          <ReasonedButton
            label="Edit"
            icon={<IconPencil size={14} />}
            why={useWhyNot("update", resource)}
            onClick={() => go(paths.edit(kind, scope, name))}
          />
          <DeleteButton
            kind={kind}
            resource={resource}
            means={means}
            onDone={(gone) => gone && go(paths.list(kind, scope))}
          />
          {Object.entries(elsewhere).map(([action, tab]) => (
            <ActElsewhere key={action} kind={kind} resource={resource} action={action} tab={tab} />
          ))}
        </>
      }
    />
  );
}
