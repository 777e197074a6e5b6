import type { Terminal } from "@xterm/xterm";
import { styleNonce } from "../../style-nonce.ts";

/**
 * Puts a terminal into an element, under a policy that allows no style without the page's nonce. The library makes its style
 * elements while it opens, and can be given no nonce: for that moment they are made with it.
 */
export function openUnderPolicy(terminal: Terminal, parent: HTMLElement): void {
  const make = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const made = make(name, options);
    if (name === "style") made.nonce = styleNonce();
    return made;
  };
  try {
    terminal.open(parent);
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
  styleByProperty(terminal);
}

interface Insides {
  readonly _core?: {
    readonly _renderService?: {
      readonly _renderer?: {
        readonly value?: {
          readonly _rowFactory?: { _addStyle?: (element: HTMLElement, style: string) => void };
        };
      };
    };
  };
}

/** Colours of 24 bits are written as an attribute, which the policy forbids; as a property they are allowed. */
function styleByProperty(terminal: Terminal): void {
  const rows = (terminal as unknown as Insides)._core?._renderService?._renderer?.value?._rowFactory;
  if (rows === undefined) return;
  rows._addStyle = (element, style) => {
    element.style.cssText += `${style};`;
  };
}
