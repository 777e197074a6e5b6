import type { Step } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawnEdges } from "./edges.ts";
import { itemsText, nodesOfGraph, nodesOfSteps } from "./graph-node.ts";
import { nodeHeight, nodeWidth, placeNodes } from "./layout.ts";

const step = (seq: number, more: Partial<Step> = {}): Step => ({
  ...{ seq, name: `s${seq}`, state: "blocked", why: "", needs: [], does: "execute", attempt: 0, epoch: 0 },
  ...more,
});

test("items of a fan-out are one node with counts, in the order of the graph", () => {
  const nodes = nodesOfSteps([
    step(1, { items: { succeeded: 36, failed: 1, running: 3, ready: 160 }, needs: [0] }),
    step(2_000_000, { parent: 1, name: "s1[0]" }),
    step(0),
  ]);
  expect(nodes.map(({ name, fanOut }) => [name, fanOut])).toEqual([
    ["s0", false],
    ["s1", true],
  ]);
  expect(itemsText(nodes[1]?.items)).toBe("37 of 200 done, 1 failed, 3 running");
});

test("a definition that never ran has the same nodes without states", () => {
  const body = { does: "approve", text: "sure?" } as const;
  const [node] = nodesOfGraph({ steps: [{ name: "ask", needs: [], rule: "all-succeeded", body }] });
  expect(node).toEqual({ id: 0, name: "ask", needs: [], does: "approve", cleanup: false, fanOut: false });
});

test("an edge that is implied is not drawn", () => {
  const edges = drawnEdges([
    { id: 0, needs: [] },
    { id: 1, needs: [0] },
    { id: 2, needs: [0] },
    { id: 3, needs: [0, 1, 2] },
  ]);
  expect(edges.map(({ from, to }) => `${from}-${to}`).sort()).toEqual(["0-1", "0-2", "1-3", "2-3"]);
});

test("whatever the graph, the drawn edges reach exactly what the needs reach, and none can be left out", () => {
  const graphs = fc
    .integer({ min: 1, max: 40 })
    .chain((size) =>
      fc.tuple(
        ...Array.from({ length: size }, (_, at) => fc.subarray(Array.from({ length: at }, (_, n) => n))),
      ),
    );
  fc.assert(
    fc.property(graphs, (all) => {
      const nodes = all.map((needs, id) => ({ id, needs: needs as number[] }));
      const edges = drawnEdges(nodes);
      const drawn = nodes.map(({ id }) => edges.filter(({ to }) => to === id).map(({ from }) => from));
      expect(reach(drawn)).toEqual(reach(nodes.map(({ needs }) => needs)));
      for (const [at, froms] of drawn.entries())
        for (const from of froms) {
          const without = drawn.map((list, index) =>
            index === at ? list.filter((one) => one !== from) : list,
          );
          expect(reach(without)[at]).not.toContain(from);
        }
    }),
  );
});

test("every step stands after those it needs, none covers another, and the same graph always looks the same", () => {
  const size = 500;
  const nodes = Array.from({ length: size }, (_, id) => ({
    id,
    needs: id === 0 ? [] : [id % 10 === 0 ? id - 10 : Math.floor(id / 10) * 10],
  }));
  for (const direction of ["across", "down"] as const) {
    const { places } = placeNodes(nodes, direction);
    expect(placeNodes(nodes, direction).places).toEqual(places);
    const all = nodes.map(({ id }) => places.get(id) as { x: number; y: number });
    for (const { id, needs } of nodes)
      for (const need of needs)
        expect(all[id]?.[direction === "across" ? "x" : "y"]).toBeGreaterThan(
          all[need]?.[direction === "across" ? "x" : "y"] ?? 0,
        );
    for (const [at, one] of all.entries())
      for (const other of all.slice(at + 1))
        expect(Math.abs(one.x - other.x) >= nodeWidth || Math.abs(one.y - other.y) >= nodeHeight).toBe(true);
  }
});

test("no line goes through a node: where it passes a rank it has a place of its own, and without any it is as before", () => {
  const graphs = fc.integer({ min: 2, max: 25 }).chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, at) =>
        fc.subarray(
          Array.from({ length: at }, (_, n) => n),
          { maxLength: Math.min(at, 3) },
        ),
      ),
    ),
  );
  fc.assert(
    fc.property(graphs, fc.constantFrom("across" as const, "down" as const), (all, direction) => {
      const nodes = all.map((needs, id) => ({ id, needs: needs as number[] }));
      const { places, edges, width, height } = placeNodes(nodes, direction);
      const [rank, along, size] =
        direction === "across" ? (["x", "y", nodeHeight] as const) : (["y", "x", nodeWidth] as const);
      const gapped = direction === "across" ? nodeWidth + 46 : nodeHeight + 46;
      for (const { from, to, via } of edges) {
        const [begins, ends] = [places.get(from)?.[rank] ?? 0, places.get(to)?.[rank] ?? 0];
        expect(via.map((point) => point[rank])).toEqual(
          Array.from({ length: (ends - begins) / gapped - 1 }, (_, at) => begins + (at + 1) * gapped),
        );
        for (const point of via)
          for (const node of places.values())
            if (node[rank] === point[rank])
              expect(Math.abs(node[along] + size / 2 - point[along])).toBeGreaterThan(size / 2);
      }
      for (const { x, y } of places.values()) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect([x + nodeWidth <= width + 0.01, y + nodeHeight <= height + 0.01]).toEqual([true, true]);
      }
    }),
  );
});

function reach(needs: readonly (readonly number[])[]): number[][] {
  const found: Set<number>[] = [];
  for (const list of needs) found.push(new Set(list.flatMap((need) => [need, ...(found[need] ?? [])])));
  return found.map((set) => [...set].sort((a, b) => a - b));
}
