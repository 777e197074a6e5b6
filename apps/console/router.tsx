import { pagePatterns } from "@reeve/kit";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { webAreas } from "./areas.ts";
import { Broken, Loading, NotFound } from "./shell/fallbacks.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ notFoundComponent: NotFound });

/** Pages for whoever is not signed in. */
const outside = [
  { path: "/sign-in", load: () => import("./sign-in/sign-in-page.tsx") },
  { path: "/setup", load: () => import("./sign-in/setup-page.tsx") },
  { path: "/invitation", load: () => import("./sign-in/invitation-page.tsx") },
  { path: "/recover", load: () => import("./sign-in/recover-page.tsx") },
];

/** Everything else stands inside the shell. What an area has no page for is a page of its kind. */
const inside = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });

const pages = [
  { path: "/", load: () => import("./overview/overview-page.tsx") },
  { path: "/security", load: () => import("./security/security-page.tsx") },
  ...webAreas.flatMap((area) => area.pages),
  { path: "/$", load: () => import("./kinds/kind-page.tsx") },
];

const tree = root.addChildren([
  ...outside.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) }),
  ),
  inside.addChildren(
    pages.flatMap(({ path, load }) =>
      pagePatterns(path).map((pattern) =>
        createRoute({ getParentRoute: () => inside, path: pattern, component: lazyRouteComponent(load) }),
      ),
    ),
  ),
]);

export function openRouter() {
  return createRouter({
    routeTree: tree,
    // Addresses are plain words: `?state=failed`, never quoted JSON.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (query) => {
      const text = new URLSearchParams(query as Record<string, string>).toString();
      return text === "" ? "" : `?${text}`;
    },
    defaultPendingComponent: Loading,
    defaultErrorComponent: Broken,
    scrollRestoration: isOtherPage(),
  });
}

/** Only another page begins at its top, or where it was left: what changes the query alone, such as a line of a log, moves nothing. */
function isOtherPage() {
  let at = "";
  return ({ location: { pathname } }: { readonly location: { readonly pathname: string } }) => {
    const moved = pathname !== at;
    at = pathname;
    return moved;
  };
}
