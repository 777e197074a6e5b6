import { type OfResource, type PageTab, recordTabs } from "@reeve/kit";
import { CommitsTab } from "./commits-tab.tsx";
import { FilesTab } from "./files/files-tab.tsx";
import type { RepositoryResource } from "./repository-resource.ts";
import { ServicesTab } from "./services-tab.tsx";

export interface TabProps extends OfResource {
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
  ...recordTabs,
];
