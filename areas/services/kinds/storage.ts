/** An image, a volume or a network of a host's engine. */
export interface StorageItem {
  readonly kind: "image" | "volume" | "network";
  /** By which it is removed: the name of a volume, the engine's id of others. */
  readonly id: string;
  /** Tags of an image, or its digest when it has none. */
  readonly name: string;
  /** What an image shares with others counts for each of them. */
  readonly bytes: number;
  readonly createdAt?: string | undefined;
  /** Containers, also such that do not run. */
  readonly usedBy: readonly string[];
  /**
   * Whether pruning takes it: `prune` always, `all` when what is not Reeve's goes too, `named` only when somebody names it, `no`
   * never.
   */
  readonly goes: "prune" | "all" | "named" | "no";
  readonly why: string;
}

export interface Pruned {
  readonly removed: readonly { readonly kind: string; readonly name: string; readonly bytes: number }[];
  /** What was asked for and is still there. */
  readonly left: readonly { readonly kind: string; readonly name: string; readonly why: string }[];
}

export interface PruneChoice {
  /** Also what is not Reeve's. */
  readonly all?: boolean | undefined;
  /** Volumes and images that are to go beside, by name. */
  readonly names?: readonly string[] | undefined;
}

/** What pruning would remove. */
export function toPrune(items: readonly StorageItem[], { all, names = [] }: PruneChoice): StorageItem[] {
  const isNamed = ({ name, id }: StorageItem) =>
    names.includes(id) || name.split(", ").some((one) => names.includes(one));
  return items.filter(
    (item) => item.goes === "prune" || (item.goes === "all" && all) || (item.goes !== "no" && isNamed(item)),
  );
}
