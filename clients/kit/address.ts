import type { Scope } from "@reeve/model";
import { useRouter, useRouterState } from "@tanstack/react-router";
import { useGo } from "./link.tsx";
import { readPath, withQuery } from "./paths.ts";

type Query = Readonly<Record<string, string>>;
type Patch = Readonly<Record<string, string | undefined>>;

/** The address of the page that is open, without its query. */
export function usePath(): string {
  return useRouterState({ select: ({ location }) => location.pathname });
}

/** The query of the address, and a way to change a part of it: what a page shows is in its address, so that it can be sent to others. */
export function useQuery(): [Query, (patch: Patch, options?: { readonly push?: boolean }) => void] {
  const path = usePath();
  const query = useRouterState({ select: ({ location }) => location.search as Query });
  const go = useGo();
  const router = useRouter();
  return [
    query,
    (patch, { push = false } = {}) => {
      // As the address is now: two changes in one moment both hold, and one that comes late is not made to another page.
      const { pathname, search } = router.parseLocation(router.history.location);
      if (pathname === path) go(withQuery(path, { ...(search as Query), ...patch }), { replace: !push });
    },
  ];
}

/** The scope that was chosen: by the path of a kind's page, else by `?scope=`; "" is everything one may see. */
export function useScope(): Scope {
  const { scope } = readPath(usePath());
  const [query] = useQuery();
  return scope || (query.scope ?? "");
}
