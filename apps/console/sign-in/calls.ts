import { client } from "@reeve/kit";

/** A code or a link works once: a blind second try would hide the first one's success behind a refusal. */
const once = { attempts: 1, withinMs: 0 };

export async function post<T>(path: string, body: object = {}): Promise<T> {
  return (await client.send({ method: "POST", path: `/api/v1${path}`, body, retry: once })).body as T;
}

/** Where a sign-in goes on: a session is open, or a second factor is asked for. */
export interface Pending {
  readonly pending?: string;
  readonly second?: readonly string[];
}

export interface Provider {
  readonly name: string;
  readonly displayName: string;
}

export async function providers(): Promise<readonly Provider[]> {
  return ((await client.send({ path: "/api/v1/sign-in/providers" })).body as { items: Provider[] }).items;
}
