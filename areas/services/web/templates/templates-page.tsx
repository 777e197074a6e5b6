import { Text } from "@mantine/core";
import {
  type Column,
  client,
  DataTable,
  FaultView,
  PageHeader,
  PageLink,
  paths,
  ResourceEditor,
  tell,
  useCan,
  useGo,
  useKind,
  useList,
  useLoaded,
  useQuery,
  useScope,
} from "@reeve/kit";
import { type JsonObject, levelOf, type Scope, showScope } from "@reeve/model";
import type { KindInfo, ServiceTemplate } from "@reeve/sdk";
import { useState } from "react";
import { Service } from "../../kinds/index.ts";
import { DraftView } from "../draft-view.tsx";
import { templatesAt } from "./address.ts";
import { TemplateDialog } from "./template-dialog.tsx";

/** A new service of a template: choose one, answer what it asks, and go on in the editor. */
export default function TemplatesPage() {
  const go = useGo();
  const [{ template: chosen, as }, patch] = useQuery();
  const kind = useKind(Service.name) as KindInfo;
  const scope = useHome(kind);
  const { value: templates, fault } = useLoaded("templates", () => client.serviceTemplates.list());
  const [draft, setDraft] = useState<Draft>();
  const can = useCan({ verb: "create", kind: Service.name, scope });
  const livesHere = kind.levels.includes(levelOf(scope));
  const template = templates?.find(({ name }) => name === chosen);
  const leave = async () => {
    await draft?.undo();
    go(paths.list(Service, scope));
  };
  return (
    <>
      <PageHeader
        title={draft === undefined ? "New service from a template" : "Create a service"}
        lead={
          draft === undefined
            ? "Compose files for common services, with health checks and generated passwords. What is made of one is a service like any other."
            : "As the template made it. Change what you like; nothing runs before it is deployed."
        }
        above={
          <>
            <PageLink to={paths.list(Service, scope)}>Services</PageLink> of{" "}
            <span className="mono">{showScope(scope)}</span>
          </>
        }
      />
      {fault && <FaultView fault={fault} />}
      {!livesHere && (
        <Text mb="sm">A service lives in an organization or below: choose one at the top of the page.</Text>
      )}
      {draft !== undefined ? (
        <ResourceEditor
          kind={kind}
          scope={scope}
          base={undefined}
          initial={draft.service}
          as={as === "form" ? "form" : "yaml"}
          onAs={(next) => patch({ as: next })}
          why={can.allowed === false ? can.reason : undefined}
          beside={(value) => <DraftView value={value} />}
          onCancel={() => void leave()}
          onDone={({ metadata }) => {
            tell(`${metadata.name} is created: deploy it when you like`);
            go(paths.resource(Service, metadata.scope, metadata.name));
          }}
        />
      ) : (
        <DataTable
          label="Templates"
          list={{ rows: templates ?? [], state: templates === undefined ? "loading" : "live" }}
          columns={columns}
          rowKey={({ name }) => name}
          to={({ name }) => templatesAt(scope, name)}
          empty={null}
        />
      )}
      {template !== undefined && livesHere && draft === undefined && (
        <TemplateDialog
          kind={kind}
          template={template}
          scope={scope}
          onDraft={setDraft}
          onClose={() => patch({ template: undefined })}
        />
      )}
    </>
  );
}

/** The chosen scope; where services cannot live in that, the only organization that there is. */
function useHome(kind: KindInfo): Scope {
  const scope = useScope();
  const { rows } = useList({ name: "Organization" }, "");
  if (kind.levels.includes(levelOf(scope))) return scope;
  return rows.length === 1 && rows[0] !== undefined ? rows[0].metadata.name : scope;
}

export interface Draft {
  readonly service: JsonObject;
  /** Takes back what was made for it. */
  readonly undo: () => Promise<void>;
}

const columns: readonly Column<ServiceTemplate>[] = [
  { key: "name", title: "Template", cell: ({ name }) => <span className="mono">{name}</span> },
  { key: "title", title: "Is", cell: ({ title }) => title },
  { key: "summary", title: "About", wide: true, cell: ({ summary }) => summary },
];
