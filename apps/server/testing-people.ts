import { newSecret } from "@reeve/access/control";
import { newUid, type Scope } from "@reeve/model";
import { vi } from "vitest";
import type { Answer, CallOptions, TestServer } from "./testing.ts";

/** People and programs for tests: made through the API, as an administrator would. */
export interface Person {
  readonly name: string;
  /** What the person sends: the secret of a session or of a token. */
  readonly token: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface Held {
  readonly role: string;
  readonly scope: Scope;
}

/** Lets a test sign in more often than one address may: each comes through the "proxy" from its own. */
export const behindProxy = { REEVE_TRUSTED_PROXIES: "127.0.0.1" };

export const password = "correct horse battery staple";

/** A user with a session but without a password: checking one is made to be slow. */
export async function newUser(server: TestServer, name: string, held: readonly Held[] = []): Promise<Person> {
  const { body } = await done(server.call("PUT", `/users/${name}`, { body: {} }));
  for (const one of held) await bind(server, one, { kind: "User", name });
  const secret = newSecret("session");
  await server.database.query(
    "insert into session (id, hash, user_uid, expires_at, authenticated_at, address, agent) values ($1, $2, $3, now() + interval '1 day', now(), '', '')",
    [newUid(), secret.hash, body.metadata.uid],
  );
  return personWith(server, name, secret.text);
}

export async function setPassword(server: TestServer, user: string): Promise<void> {
  await done(server.call("POST", `/users/${user}/actions/set-password`, { body: { password } }));
}

/** A service account with a token that works. */
export async function newProgram(
  server: TestServer,
  scope: Scope,
  name: string,
  held: readonly Held[] = [],
): Promise<Person> {
  await done(server.call("PUT", `${inScope(scope)}/serviceaccounts/${name}`, { body: {} }));
  for (const one of held) await bind(server, one, { kind: "ServiceAccount", name, scope });
  return personWith(server, name, await newToken(server, scope, name));
}

export async function newToken(
  server: TestServer,
  scope: Scope,
  account: string,
  spec: object = {},
): Promise<string> {
  const path = `${inScope(scope)}/tokens/${account}`;
  const subject = { kind: "ServiceAccount", name: account };
  await done(server.call("PUT", path, { body: { spec: { subject, ...spec } } }));
  return (await done(server.call("POST", `${path}/actions/issue`, { body: {} }))).body.secret;
}

export async function bind(server: TestServer, { role, scope }: Held, subject: object): Promise<void> {
  const name = `b${++bindings}`;
  await done(
    server.call("PUT", `${inScope(scope)}/rolebindings/${name}`, { body: { spec: { role, subject } } }),
  );
}
let bindings = 0;

export async function signIn(server: TestServer, user: string, secret = password): Promise<string> {
  const headers = { "x-forwarded-for": `10.0.${++arrivals >> 8}.${arrivals & 255}` };
  const answer = await server.call("POST", "/sessions", {
    token: null,
    headers,
    body: { user, password: secret },
  });
  return (await done(Promise.resolve(answer))).body.token;
}
let arrivals = 0;

export function personWith(server: TestServer, name: string, token: string): Person {
  return { name, token, call: (method, path, options) => server.call(method, path, { token, ...options }) };
}

/** The address of what lives in a scope: `/organizations/acme/projects/shop`, or nothing for the installation. */
export function inScope(scope: Scope): string {
  const words = ["organizations", "projects", "workspaces"];
  const parts = scope === "" ? [] : scope.split("/");
  return parts.map((part, index) => `/${words[index]}/${part}`).join("");
}

/** The answer, which must not be a refusal: a test's own preparations do not fail quietly. */
export async function done(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status >= 300)
    throw new Error(`a preparation failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** As if the last proof of identity in this person's sessions were an hour old. */
export async function age(server: TestServer, { name, call }: Person): Promise<void> {
  await server.database.query(
    `update session set authenticated_at = now() - interval '1 hour'
     where user_uid = (select uid from resource where kind = 'User' and name = $1)`,
    [name],
  );
  const provedMs = async () => Date.parse((await call("GET", "/whoami")).body.via.authenticatedAt);
  await vi.waitUntil(async () => (await provedMs()) < Date.now() - 3_000_000, { timeout: 60_000 });
}
