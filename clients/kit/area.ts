import type { JsonObject, Scope } from "@reeve/model";
import type { ComponentType, ReactNode } from "react";

/** The pages of an area. What an area has no page for, the console makes from the kinds themselves. */
export interface WebArea {
  readonly name: string;
  readonly navigation: readonly NavigationItem[];
  readonly pages: readonly AreaPage[];
  /** Further tabs on the page that any resource of a kind has. */
  readonly tabs?: readonly KindTab[];
  /** Help for whoever writes a resource of a kind. */
  readonly writing?: readonly WritingAid[];
  /** What the overview lists as needing attention. */
  readonly attention?: readonly AttentionSource[];
  /** What the command palette offers where the person is. */
  readonly commands?: (context: CommandContext) => readonly PaletteCommand[];
}

export interface NavigationItem {
  readonly group: string;
  readonly label: string;
  readonly icon: ReactNode;
  /** An address that may begin with `{scope}`, for the list of a kind; other addresses get the scope as `?scope=`. */
  readonly to: string;
  /** Without this right the item is disabled, with the reason. */
  readonly needs?: { readonly verb: string; readonly kind: string };
}

/** A file of its own (`*-page.tsx`), loaded when it is first looked at. */
type Load<Props = object> = () => Promise<{ default: ComponentType<Props> }>;

export interface AreaPage {
  /** `/runs/$id`; `{scope}/workflows/$name` is that kind's page at every level of the scope tree. */
  readonly path: string;
  readonly load: Load;
}

export interface KindTab {
  readonly kind: string;
  /** As in `?tab=name`. */
  readonly name: string;
  readonly label: string;
  readonly load: Load<{ readonly scope: Scope; readonly name: string }>;
  /** The one that a resource of the kind opens with. */
  readonly main?: boolean;
  /** Actions that it offers in a way of its own; the page's head leaves them out. */
  readonly acts?: readonly string[];
}

export interface WritingAid {
  readonly kind: string;
  /** Stands beside the text and shows what it says; `value` is undefined while the text cannot be read. */
  readonly load: Load<{ readonly value: JsonObject | undefined }>;
  /** The manifest that a new one begins with. */
  readonly first: (scope: Scope) => JsonObject;
}

/** A part of the overview that shows nothing while all is well. */
export interface AttentionSource {
  readonly name: string;
  /** A hook: which things need somebody now. It is called on every look at the overview, in the same order. */
  readonly use: (scope: Scope) => readonly Attention[];
}

export interface Attention {
  readonly key: string;
  /** How bad it is: `failed` before `waiting` before `soon`. */
  readonly level: "failed" | "waiting" | "soon";
  readonly title: string;
  readonly detail?: string;
  readonly at?: string;
  readonly to: string;
  /** The run that it is about: that one's failure is not told once more. */
  readonly run?: string;
  /** Who has not got this right is told so: somebody else must see to it. */
  readonly needs?: { readonly verb: string; readonly kind: string; readonly scope: Scope };
}

export interface CommandContext {
  readonly scope: Scope;
  /** The address of the page that is open, without its query. */
  readonly path: string;
  readonly go: (to: string) => void;
}

export interface PaletteCommand {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly icon?: ReactNode;
  readonly keywords?: readonly string[];
  readonly run: () => void;
}
