import { argon2Sync, createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  behindProxy,
  done,
  inScope,
  newProgram,
  newUser,
  type Person,
  setPassword,
} from "./testing-people.ts";

/** What an attacker without rights would try on the doors themselves; each must end in nothing. */
let server: TestServer;
let mallory: Person;

beforeEach(async () => {
  server = await testServer({ settings: behindProxy });
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  await done(server.call("PUT", "/organizations/rival", { body: {} }));
  await done(server.call("PUT", "/organizations/rival/projects/plans", { body: {} }));
  await newUser(server, "bob");
  await setPassword(server, "bob");
  mallory = await newProgram(server, "acme", "mallory", [{ role: "editor", scope: "acme" }]);
});

let arrivals = 0;
function fromElsewhere(): Record<string, string> {
  return { "x-forwarded-for": `10.9.${++arrivals >> 8}.${arrivals & 255}` };
}

function signInAs(user: string, password: string, headers: Record<string, string> = {}) {
  return server.call("POST", "/sessions", {
    token: null,
    headers: { ...fromElsewhere(), ...headers },
    body: { user, password, carry: "cookie" },
  });
}

const cookieOf = (headers: Headers) => (headers.get("set-cookie") ?? "").split(";")[0] as string;

test("session fixation: a cookie that was planted before signing in is not the session", async () => {
  const planted = `reeve=reeve_s_${"A".repeat(43)}`;
  const own = { cookie: planted, "sec-fetch-site": "same-origin" };
  const first = await signInAs("bob", "correct horse battery staple", own);
  const second = await signInAs("bob", "correct horse battery staple");
  expect(first.status).toBe(201);
  expect(cookieOf(first.headers)).toMatch(/^reeve=reeve_s_[\w-]{43}$/);
  expect(cookieOf(first.headers)).not.toBe(planted);
  expect(cookieOf(second.headers)).not.toBe(cookieOf(first.headers));
  const withPlanted = await server.call("GET", "/whoami", { token: null, headers: { cookie: planted } });
  expect(withPlanted.status).toBe(401);
});

test("login CSRF: another site's form cannot sign a browser in", async () => {
  const text = JSON.stringify({ user: "bob", password: "correct horse battery staple", carry: "cookie" });
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const answer = await server.call("POST", "/sessions", {
      token: null,
      rawBody: text,
      headers: { "content-type": type, ...fromElsewhere() },
    });
    expect([type, answer.status]).toEqual([type, 400]);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
});

test("another origin is told nothing by CORS", async () => {
  for (const method of ["OPTIONS", "GET", "POST"]) {
    const answer = await server.call(method, "/whoami", {
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "DELETE",
        "access-control-request-headers": "authorization",
      },
    });
    const names = [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
    expect([method, names]).toEqual([method, []]);
  }
});

test("no answer sends a browser to another site", async () => {
  const evil = [
    "//evil.example",
    "/\\evil.example",
    "/docs//evil.example",
    "/docs/..//evil.example",
    "///evil.example/",
  ];
  const asked = evil.flatMap((path) => [
    path,
    `${path}?next=//evil.example`,
    `/sign-in?next=${path}`,
    `/docs?next=${path}`,
  ]);
  for (const path of asked) {
    const { head } = await raw(`GET ${path} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
    const location = /\r\nlocation: (.*)/i.exec(head)?.[1]?.trim() ?? "/";
    expect([path, location]).toEqual([path, expect.stringMatching(/^\/(?![/\\])/)]);
    expect(head.toLowerCase()).not.toContain("evil.example");
  }
});

test("a token in the address is no credential", async () => {
  for (const name of ["token", "access_token", "authorization", "api_key", "bearer", "key"]) {
    const answer = await server.call("GET", `/whoami?${name}=${server.owner}`, { token: null });
    expect([name, answer.status]).toEqual([name, 401]);
    expect(JSON.stringify(answer.body)).not.toContain(server.owner);
  }
});

test("who has no credential learns which version this is, and the name of nobody and of nothing", async () => {
  await done(server.call("PUT", "/organizations/wombats", { body: {} }));
  await newUser(server, "quokka", [{ role: "owner", scope: "wombats" }]);
  const ask = (path: string) => server.call("GET", path, { token: null, headers: fromElsewhere() });
  const description = (await ask("/openapi.json")).body;
  expect(description.info.version).toBe("test");
  const operations: [string, { get?: { security?: unknown[] } }][] = Object.entries(description.paths);
  const open = operations.filter(([, { get }]) => get?.security?.length === 0).map(([path]) => path);
  expect(open).toEqual(expect.arrayContaining(["/livez", "/readyz", "/api/v1/sign-in/providers"]));
  const paths = open.map((path) => path.replace(/^\/api\/v1/, "").replace("{name}", "nobody"));
  for (const path of ["/openapi.json", "/docs/", "/metrics", ...paths]) {
    const text = JSON.stringify((await ask(path)).body);
    expect([path, /wombats|quokka/.test(text)]).toEqual([path, false]);
  }
  for (const path of ["/server", "/kinds", "/organizations/wombats", "/organizations/nothing"])
    expect([path, (await ask(path)).status]).toEqual([path, 401]);
});

test("signing in takes as long for a name that is not there as for a wrong password", async () => {
  const times: Record<string, number[]> = { bob: [], nobody: [] };
  for (let turn = 0; turn < 8; turn++)
    for (const user of Object.keys(times)) {
      const startedAt = performance.now();
      const { status, body } = await signInAs(user, "not the password at all");
      times[user]?.push(performance.now() - startedAt);
      expect([status, body.detail]).toEqual([401, "the name or the password is wrong"]);
    }
  // A look-up without the slow hash would be some fifty times faster; a busy machine makes one of two alike take thrice as long.
  const ratio = middleOf(times.nobody) / middleOf(times.bob);
  expect(ratio).toBeGreaterThan(0.1);
  expect(ratio).toBeLessThan(10);
});

function middleOf(list: number[] = []): number {
  return list.sort((a, b) => a - b)[list.length >> 1] as number;
}

test("a stored password is its argon2id, as costly as OWASP asks for, under a salt of its own", async () => {
  await newUser(server, "eve");
  await setPassword(server, "eve");
  const rows = await server.database.query<{ name: string; hash: string }>(
    "select r.name, p.hash from password p join resource r on r.uid = p.user_uid order by r.name",
  );
  expect(rows.map(({ name }) => name)).toEqual(["ada", "bob", "eve"]);
  const salts = rows.map(({ name, hash }) => {
    const [, memory, passes, parallelism, salt = "", tag = ""] =
      /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$(.+)\$(.+)$/.exec(hash) ?? [];
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    expect([cost.memory >= 19_456, cost.passes >= 2, cost.parallelism]).toEqual([true, true, 1]);
    const nonce = Buffer.from(salt, "base64");
    const message = name === "ada" ? "correct horse battery" : "correct horse battery staple";
    const derived = argon2Sync("argon2id", { message, nonce, tagLength: 32, ...cost });
    expect(derived.equals(Buffer.from(tag, "base64"))).toBe(true);
    expect(nonce.length).toBeGreaterThanOrEqual(16);
    return salt;
  });
  expect(new Set(salts).size).toBe(3);
});

test("a token is refused in the same time, however much of it is right", async () => {
  const letters = (count: number) => randomBytes(count).toString("base64url").slice(0, count);
  const guesses = [
    () => mallory.token.slice(0, -6) + letters(6),
    () => `reeve_t_${letters(43)}`,
    () => `reeve_s_${letters(43)}`,
    // Which prefixes there are is no secret: for another one the database is not even asked.
    () => `reeve_u_${letters(43)}`,
  ].map((guess) => ({ guess, times: [] as number[] }));
  // From one address, of which only the first few are written down: that takes longer.
  const headers = fromElsewhere();
  for (let turn = -5; turn < 60; turn++)
    for (const { guess, times } of guesses) {
      const startedAt = performance.now();
      const { status } = await server.call("GET", "/whoami", { token: guess(), headers });
      if (turn >= 0) times.push(performance.now() - startedAt);
      expect(status).toBe(401);
    }
  const middles = guesses.map(({ times }) => middleOf(times));
  expect(Math.max(...middles) / Math.min(...middles), `${middles}`).toBeLessThan(5);
});

test("a token is looked up by the digest of all of it, and by nothing else", async () => {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const eve = await newUser(server, "eve");
  const cases = [
    ["credential", mallory, "reeve_t_another-text-altogether"],
    ["session", eve, "reeve_s_another-text-altogether"],
  ] as const;
  for (const [table, person, text] of cases) {
    await server.database.query(`update ${table} set hash = $1 where hash = $2`, [
      digest(text),
      digest(person.token),
    ]);
    const me = await server.call("GET", "/whoami", { token: text });
    expect([table, me.body.subject?.name]).toEqual([table, person.name]);
    expect([table, (await person.call("GET", "/whoami")).status]).toEqual([table, 401]);
  }
});

test("a stored token is a digest, and part of a token finds nothing", async () => {
  const rows = await server.database.query<{ hash: Buffer }>("select hash from credential");
  const digest = createHash("sha256").update(mallory.token).digest("hex");
  expect(rows.map((row) => row.hash.toString("hex"))).toContain(digest);
  const near = [
    mallory.token.slice(0, -1),
    `${mallory.token.slice(0, -1)}${mallory.token.endsWith("A") ? "B" : "A"}`,
    mallory.token.toUpperCase(),
    `${mallory.token}%00`,
    digest,
  ];
  for (const token of near) expect((await server.call("GET", "/whoami", { token })).status).toBe(401);
});

test("guessing passwords is slowed down, by the address it comes from", async () => {
  const headers = { "x-forwarded-for": "10.8.8.8" };
  const statuses: number[] = [];
  let last: Headers | undefined;
  for (let turn = 0; turn < 30 && statuses.at(-1) !== 429; turn++) {
    const answer = await signInAs("nobody", `guess number ${turn}`, headers);
    statuses.push(answer.status);
    last = answer.headers;
  }
  expect(statuses.at(-1)).toBe(429);
  expect(Number(last?.get("retry-after"))).toBeGreaterThan(0);
});

describe("on the wire", () => {
  test("a header cannot be smuggled into an answer", async () => {
    const tricks = [
      "%0d%0aset-cookie:%20reeve=evil",
      "%0aset-cookie:%20reeve=evil",
      "%E5%98%8D%E5%98%8Aset-cookie:%20reeve=evil",
    ];
    for (const trick of tricks)
      for (const path of [
        `/api/v1/organizations/${trick}`,
        `/docs/${trick}`,
        `/api/v1/whoami?x=${trick}`,
        `/${trick}`,
      ]) {
        const { head } = await raw(
          `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-request-id: ${trick}\r\nconnection: close\r\n\r\n`,
        );
        expect([path, /\r\nset-cookie:/i.test(head)]).toEqual([path, false]);
      }
    for (const id of ["abcdefgh\nset-cookie: reeve=evil", "abcdefgh\rset-cookie: reeve=evil", "abcdefgh\0"]) {
      const { head } = await raw(
        `GET /livez HTTP/1.1\r\nhost: localhost\r\nx-request-id: ${id}\r\nconnection: close\r\n\r\n`,
      );
      expect(/\r\nset-cookie: reeve=evil/i.test(head)).toBe(false);
    }
  });

  test("a request with two lengths is refused, so that no proxy and we can read it differently", async () => {
    const body = '{"resources":[]}';
    const bad = [
      `content-length: ${body.length}\r\ntransfer-encoding: chunked`,
      `content-length: ${body.length}\r\ncontent-length: 3`,
      "transfer-encoding: chunked, identity",
      "transfer-encoding: xchunked",
      "content-length: +16",
    ];
    for (const lines of bad) {
      const { head } = await raw(
        `POST /api/v1/apply HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.owner}\r\ncontent-type: application/json\r\n${lines}\r\n\r\n${body}`,
      );
      expect([lines, head.slice(9, 12)]).toEqual([lines, "400"]);
    }
  });

  test("oversized and odd cookies end in a refusal, not in trouble", async () => {
    const cases: [string, string][] = [
      ["one huge cookie", `reeve=${"a".repeat(30_000)}`],
      ["very many cookies", Array.from({ length: 3000 }, (_, index) => `c${index}=x`).join("; ")],
      ["a long session", `reeve=reeve_s_${"a".repeat(7000)}`],
      ["many sessions", Array.from({ length: 100 }, () => `reeve=reeve_s_${"a".repeat(43)}`).join("; ")],
    ];
    for (const [what, cookie] of cases) {
      const { head } = await raw(
        `GET /api/v1/whoami HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\nconnection: close\r\n\r\n`,
      );
      expect([what, head.slice(9, 12)]).toEqual([what, expect.stringMatching(/^(401|431)$/)]);
    }
    expect((await server.call("GET", "/whoami")).status).toBe(200);
  });

  test("an overriding method or address in a header changes nothing", async () => {
    const headers = {
      "x-http-method-override": "DELETE",
      "x-method-override": "DELETE",
      "x-original-url": "/api/v1/organizations/acme",
      "x-rewrite-url": "/api/v1/organizations/acme",
    };
    const answer = await server.call("GET", "/whoami", { headers });
    expect(answer.body.subject.name).toBe("ada");
    expect((await server.call("GET", "/organizations/acme")).status).toBe(200);
  });
});

test("no way of writing a scope leads into another organization", async () => {
  const foreign = "rival/projects/plans";
  const written = [
    `/organizations/acme/../${foreign}`,
    `/organizations/acme/%2e%2e/${foreign}`,
    `/organizations/acme/..%2f${foreign}`,
    `/organizations/acme%2f..%2frival/projects/plans`,
    `/organizations/acme%00/../${foreign}`,
    `/organizations/acme;/../${foreign}`,
    `/organizations//${foreign}`,
    `/organizations/./${foreign}`,
    `/organizations/${encodeURIComponent(foreign)}`,
    `/organizations/RIVAL/projects/plans`,
    `/organizations/ｒival/projects/plans`,
    `/organizations/rival/projects/plans/`,
    `/organizations/acme/projects/shop/../../../${foreign}`,
    `/organizations/acme/projects/shop%252f..%252f..%252frival`,
    `/organizations/acme?scope=rival/plans`,
  ];
  for (const path of written) {
    // By hand: fetch would tidy the dots up before sending.
    const { head, body } = await raw(
      `GET /api/v1${Buffer.from(path).toString("latin1")} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${mallory.token}\r\nconnection: close\r\n\r\n`,
    );
    expect([path, head.slice(9, 10)]).toEqual([path, "4"]);
    expect([path, /"uid"/.test(body)]).toEqual([path, false]);
  }
  for (const scope of [
    "acme/../rival",
    "rival/plans/..",
    "/rival",
    "acme//rival",
    "acme/shop/../../rival",
    "acme\u0000/rival",
  ]) {
    const manifest = {
      apiVersion: "reeve/v1",
      kind: "ServiceAccount",
      metadata: { scope, name: "spy" },
      spec: {},
    };
    const answer = await mallory.call("POST", "/apply", { body: { resources: [manifest] } });
    const [result] = answer.body.results ?? [{ error: answer.body }];
    expect([scope, result.outcome]).toEqual([scope, undefined]);
  }
  const spies = await server.call("GET", `${inScope("rival")}/serviceaccounts?deep=true`);
  expect(spies.body.items).toEqual([]);
});

test("pages cannot be framed, sniffed or made to run other scripts", async () => {
  for (const path of ["/setup", "/docs/", "/api/v1/whoami"]) {
    const { head } = await raw(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    expect([path, head]).toEqual([
      path,
      expect.stringMatching(/content-security-policy: [^\r]*frame-ancestors 'none'/i),
    ]);
    expect([path, /x-content-type-options: nosniff/i.test(head)]).toEqual([path, true]);
    expect([path, /script-src[^;]*'unsafe-(inline|eval)'/.test(head)]).toEqual([path, false]);
  }
});

/** Sends these bytes and reads until the other side is done. */
function raw(text: string): Promise<{ head: string; body: string }> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text, "latin1"));
    let answer = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${text.slice(0, 80)}`)));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" && answer !== "" ? finish() : reject(error),
    );
    socket.on("close", finish);
    function finish(): void {
      const [head = "", ...rest] = answer.split("\r\n\r\n");
      resolve({ head: `${head}\r\n`, body: rest.join("\r\n\r\n") });
    }
  });
}
