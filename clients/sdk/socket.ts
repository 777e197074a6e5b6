/** The part of a WebSocket that is used, whoever made it. */
export interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly reason: string }) => void) | null;
  send(data: string | Uint8Array): void;
  close(): void;
  /** Not in browsers. */
  pause?(): void;
  resume?(): void;
}
