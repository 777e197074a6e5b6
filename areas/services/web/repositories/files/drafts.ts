/** What somebody has changed in files of a repository, and not pushed yet. */
export interface Drafts {
  /** The revision that the changes were made from. */
  readonly base: string;
  readonly files: Readonly<Record<string, Draft>>;
}

export interface Draft {
  /** What the base holds; undefined for a file that is new. */
  readonly before: string | undefined;
  /** What it is to hold; null when it is to go. */
  readonly after: string | null;
}

export const noDrafts: Drafts = { base: "", files: {} };

/** A file that is as it was is no change. */
export function withDraft(drafts: Drafts, path: string, draft: Draft, revision: string): Drafts {
  const { [path]: _, ...others } = drafts.files;
  const same = draft.after === draft.before || (draft.after === null && draft.before === undefined);
  const files = same ? others : { ...others, [path]: draft };
  return { base: Object.keys(drafts.files).length === 0 ? revision : drafts.base, files };
}

/** The same changes upon another revision, whose files hold this by now. What was typed stays as it is. */
export function rebased(
  drafts: Drafts,
  base: string,
  now: Readonly<Record<string, string | undefined>>,
): Drafts {
  const moved = Object.entries(drafts.files).map(
    ([path, { after }]) => [path, { before: now[path], after }] as const,
  );
  return {
    base,
    files: Object.fromEntries(moved.filter(([, { before, after }]) => (before ?? null) !== after)),
  };
}
