type Needing = { readonly id: number; readonly needs: readonly number[] };

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
}

/**
 * The edges that a person must see: what is needed through another step is not drawn again. A cleanup step needs all others, and
 * would otherwise hide the graph behind its lines. Nodes stand after those they need.
 */
export function drawnEdges(nodes: readonly Needing[]): GraphEdge[] {
  const place = new Map(nodes.map(({ id }, at) => [id, at]));
  const words = Math.ceil(nodes.length / 32);
  const above = nodes.map(() => new Uint32Array(words));
  return nodes.flatMap(({ id, needs }, at) => {
    const mine = above[at] as Uint32Array;
    const places = needs.flatMap((need) => place.get(need) ?? []).sort((a, b) => b - a);
    const drawn: GraphEdge[] = [];
    // The latest first: whatever it needs in turn is known by then.
    for (const need of places) {
      if (has(mine, need)) continue;
      drawn.push({ from: nodes[need]?.id ?? 0, to: id });
      above[need]?.forEach((word, index) => {
        mine[index] = (mine[index] ?? 0) | word;
      });
      mine[need >> 5] = (mine[need >> 5] ?? 0) | (1 << (need & 31));
    }
    return drawn;
  });
}

function has(set: Uint32Array, at: number): boolean {
  return ((set[at >> 5] ?? 0) & (1 << (at & 31))) !== 0;
}
