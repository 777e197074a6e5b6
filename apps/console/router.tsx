import { pagePatterns } from "@reeve/kit";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { webAreas } from "./areas.ts";
import { Broken, Loading, NotFound } from "./shell/fallbacks.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ notFoundComponent: NotFound });

/** Pages for whoever is not signed in. */
const outside = [
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: lazyRouteComponent(() => import("./sign-in/sign-in-page.tsx")),
  }),
];

/** Everything else stands inside the shell. What an area has no page for is a page of its kind. */
const inside = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });

const pages = [
  { path: "/", load: () => import("./overview/overview-page.tsx") },
  ...webAreas.flatMap((area) => area.pages),
  { path: "/$", load: () => import("./kinds/kind-page.tsx") },
];

const tree = root.addChildren([
  ...outside,
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
    scrollRestoration: true,
  });
}
