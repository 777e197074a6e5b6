import {
  Age,
  CodeView,
  ConditionsView,
  EventsView,
  Facts,
  type PageTab,
  Section,
  writableText,
} from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { CommitsTab } from "./commits-tab.tsx";
import { FilesTab } from "./files/files-tab.tsx";
import { fromText, type RepositoryResource } from "./repository-resource.ts";
import { ServicesTab } from "./services-tab.tsx";

export interface TabProps {
  readonly kind: KindInfo;
  readonly repository: RepositoryResource;
}

export const tabs: readonly [PageTab<TabProps>, ...PageTab<TabProps>[]] = [
  { name: "files", label: "Files", View: ({ repository }) => <FilesTab repository={repository} /> },
  { name: "commits", label: "Commits", View: CommitsTab },
  {
    name: "services",
    label: "Services",
    View: ServicesTab,
    count: ({ repository }) => repository.status.services ?? 0,
  },
  { name: "status", label: "Status", View: StatusTab },
  {
    name: "yaml",
    label: "YAML",
    View: ({ kind, repository }) => (
      <CodeView text={writableText(kind, repository as unknown as Resource)} label="Repository as YAML" />
    ),
  },
  {
    name: "events",
    label: "Events",
    View: ({ kind, repository }) => <EventsView kind={kind} resource={repository as unknown as Resource} />,
  },
];

function StatusTab({ repository }: TabProps) {
  const { revision, fetchedAt, checkedAt } = repository.status;
  return (
    <Section title="What is known">
      <Facts
        of={{
          From: <span className="mono">{fromText(repository)}</span>,
          Revision: revision && <span className="mono">{revision}</span>,
          Fetched: fetchedAt && <Age at={fetchedAt} />,
          "Asked for news": checkedAt && <Age at={checkedAt} />,
          "Asks every": repository.spec.every,
          "Writing back": repository.spec.writeBack ? "on" : "off",
        }}
      />
      <ConditionsView resource={repository as unknown as Resource} />
    </Section>
  );
}
