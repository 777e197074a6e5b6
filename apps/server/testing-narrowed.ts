import type { Scope } from "@reeve/model";
import type { Answer, TestServer } from "./testing.ts";
import { done, inScope, type Person, personWith } from "./testing-people.ts";

/** A token of a service account that was made for less than the account may. */
export async function narrowedProgram(
  server: TestServer,
  account: { readonly scope: Scope; readonly name: string },
  name: string,
  spec: object,
): Promise<Person> {
  const subject = { kind: "ServiceAccount", name: account.name };
  return narrowed(server, server, `${inScope(account.scope)}/tokens/${name}`, { subject, ...spec });
}

/** The same of a person, who makes it. */
export function narrowedPerson(
  server: TestServer,
  person: Person,
  name: string,
  spec: object,
): Promise<Person> {
  const subject = { kind: "User", name: person.name };
  return narrowed(server, person, `/tokens/${name}`, { subject, ...spec });
}

async function narrowed(
  server: TestServer,
  maker: Pick<Person, "call">,
  path: string,
  spec: object,
): Promise<Person> {
  await done(maker.call("PUT", path, { body: { spec } }));
  const { body } = await done(maker.call("POST", `${path}/actions/issue`, { body: {} }));
  return personWith(server, path, body.secret);
}

/** A call through the Connect door, as JSON. */
export async function callConnect(
  server: TestServer,
  token: string,
  method: string,
  body: object,
): Promise<Pick<Answer, "status" | "body">> {
  const answer = await fetch(`${server.url}/reeve.v1.ResourceService/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}
