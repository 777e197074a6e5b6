import { type Resource, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { PageLink, useGo } from "../link.tsx";
import { paths } from "../paths.ts";
import { ReasonedButton } from "../ui/action-button.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { useWhyNot } from "./use-why-not.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** What the page with all of them is called. */
  readonly many: string;
  /** Beside the name: how it is. */
  readonly state: ReactNode;
  readonly lead?: ReactNode;
  /** What can be done with it, beside what every resource can be: changed and deleted. */
  readonly children: ReactNode;
  /** What its deletion means beyond itself. */
  readonly means?: string | undefined;
}

/** The head of a resource's page: its name, its state, and what can be done with it. */
export function ResourceHead({ kind, resource, many, state, lead, children, means }: Props) {
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
        </>
      }
    />
  );
}
