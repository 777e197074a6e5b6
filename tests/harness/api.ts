/** The REST API as anybody would call it: no client of ours in between. */
export interface Api {
  readonly url: string;
  readonly token: string | undefined;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any;
}

export function openApi(url: string, token?: string): Api {
  return {
    url,
    token,
    async call(method, path, { body, headers, signal } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        redirect: "manual",
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await response.text();
      const json = /json\b/.test(response.headers.get("content-type") ?? "");
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: json ? JSON.parse(text) : undefined,
      };
    },
  };
}

export const password = "correct horse battery staple";

/** Uses the setup link as its page would; the owner's API. */
export async function setUp(url: string, link: string | undefined): Promise<Api> {
  const token = link?.split("#")[1];
  const body = { token, user: "ada", password, organization: "acme" };
  const answer = await openApi(url).call("POST", "/api/v1/setup", { body });
  if (answer.status !== 201) throw new Error(`set-up was refused: ${answer.text}`);
  return openApi(url, answer.body.token);
}

export function project(name: string, spec: object = {}) {
  return { apiVersion: "reeve/v1", kind: "Project", metadata: { scope: "acme", name }, spec };
}
