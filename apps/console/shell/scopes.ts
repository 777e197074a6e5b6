import { useList } from "@reeve/kit";
import { childScope, type Resource, type Scope } from "@reeve/model";
import { useMemo } from "react";

/** Every scope that one may see, as a tree in one list. */
export function useScopes(): readonly Scope[] {
  const { rows: organizations } = useList({ name: "Organization" }, "");
  const { rows: projects } = useList({ name: "Project" }, "");
  const { rows: workspaces } = useList({ name: "Workspace" }, "");
  return useMemo(
    () => [...organizations, ...projects, ...workspaces].map(opened).sort(),
    [organizations, projects, workspaces],
  );
}

function opened({ metadata: { scope, name } }: Resource): Scope {
  return childScope(scope, name);
}
