import { expect, test } from "vitest";
import { toPrune } from "../../kinds/storage.ts";
import { judgeStorage } from "./look.ts";

const at = "2026-01-31T12:00:00Z";
const image = (tag: string, more: object = {}) => ({
  ...{ id: `sha256:${tag}`, tags: [tag], digests: [`${tag.split(":")[0]}@sha256:1`] },
  ...{ bytes: 10, createdAt: at, usedBy: [] },
  ...more,
});
const network = (name: string, project = "") => ({ id: name, name, project, createdAt: at, usedBy: [] });

const items = judgeStorage(
  {
    images: [
      image("docker.io/library/nginx:1.29"),
      image("nginx:1.28"),
      image("nginx:1.20"),
      image("nginx:none", { tags: [] }),
      image("ghcr.io/acme/shop:7", { usedBy: ["shop-web-1"] }),
      image("made:1", { digests: [] }),
      image("other:1"),
    ],
    volumes: [
      { name: "data", bytes: 5, createdAt: at, usedBy: [] },
      { name: "busy", bytes: 5, createdAt: at, usedBy: ["db"] },
    ],
    networks: [network("bridge"), network("lonely"), network("shop_back", "shop")],
  },
  { images: new Set(["nginx:1.29", "nginx:1.28"]), projects: new Set(["shop"]) },
);
const names = (choice: Parameters<typeof toPrune>[1]) => toPrune(items, choice).map(({ name }) => name);

test("pruning takes what services had before, and never what they need, may go back to, or a container uses", () => {
  expect(names({})).toEqual(["nginx:1.20", "nginx@sha256:1"]);
});

test("what is no service's goes only when that is asked for; volumes and what was made here only by name", () => {
  expect(names({ all: true })).toEqual(["nginx:1.20", "nginx@sha256:1", "other:1", "lonely"]);
  expect(names({ names: ["data", "made:1", "busy", "nginx:1.28", "bridge", "shop_back"] })).toEqual([
    ...["nginx:1.20", "nginx@sha256:1"],
    ...["made:1", "data"],
  ]);
});
