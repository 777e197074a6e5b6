import { type Connection, openConnection, readJson, requestText } from "../api/http-connection.ts";

/** The people's port as the benchmark uses it, on one connection. */
export interface Api {
  readonly token: string;
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: unknown): Promise<Body>;
  close(): void;
}

export const organization = "bench";

export async function signUp(port: number, setupSecret: string): Promise<Api> {
  const connection = await openConnection(port);
  const body = {
    token: setupSecret,
    user: "bench",
    password: "as fast as it is honest",
    organization,
    carry: "bearer",
  };
  const answer = await connection.send(requestText({ method: "POST", path: "/api/v1/setup", body }));
  return apiOn(connection, (readJson(answer) as { token: string }).token);
}

export async function openApi(port: number, token: string): Promise<Api> {
  return apiOn(await openConnection(port), token);
}

function apiOn(connection: Connection, token: string): Api {
  return {
    token,
    get: async <Body>(path: string) =>
      readJson(await connection.send(requestText({ method: "GET", path, token }))) as Body,
    post: async <Body>(path: string, body: unknown) =>
      readJson(await connection.send(requestText({ method: "POST", path, token, body }))) as Body,
    close: () => connection.close(),
  };
}

/** Applies resources; anything but a success means that there is nothing to measure. */
export async function apply(api: Api, resources: readonly unknown[]): Promise<void> {
  const { results } = await api.post<{ results: { outcome?: string }[] }>("/api/v1/apply", { resources });
  const failed = results.find(({ outcome }) => outcome === undefined);
  if (failed !== undefined) throw new Error(`could not apply: ${JSON.stringify(failed).slice(0, 500)}`);
}
