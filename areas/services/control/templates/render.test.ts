import { isObject, type JsonObject, readSpec } from "@reeve/model";
import { readDocuments } from "@reeve/model/yaml";
import { Secret } from "@reeve/secrets/kinds";
import { expect, test } from "vitest";
import { composeErrors } from "../../kinds/compose-file.ts";
import { Service, type ServiceSpec } from "../../kinds/index.ts";
import { loadTemplates, type Template } from "./load.ts";
import { renderTemplate } from "./render.ts";

const templates = loadTemplates();
const wanted = { scope: "acme", name: "thing", hosts: { names: ["one"] }, inputs: {} };

function renderedBy(template: Template, inputs: JsonObject = {}) {
  const manifests = renderTemplate(template, { ...wanted, inputs });
  const specOf = (kind: string) => manifests.find((one) => one.kind === kind)?.spec;
  return {
    manifests,
    service: readSpec(Service, specOf("Service")) as unknown as ServiceSpec,
    secret: specOf("Secret"),
  };
}

/** The parts of its Compose file. */
function partsOf({ files }: { readonly files: Readonly<Record<string, string>> }) {
  const value = readDocuments(files["compose.yaml"] ?? "", "compose.yaml")[0]?.value as JsonObject;
  return Object.values(value.services as JsonObject) as JsonObject[];
}

test("there is a dozen of them", () => {
  expect(templates.size).toBeGreaterThanOrEqual(12);
});

test.each([...templates])(
  "%s is a service that its kind and our rules take, by its defaults alone",
  (_, template) => {
    const { service, secret } = renderedBy(template);
    expect(composeErrors({ ...service, files: service.files ?? {} })).toEqual([]);
    for (const [key, input] of Object.entries(template.inputs)) {
      expect(input.description, key).toBeTruthy();
      expect(input.default, `${key} has a default, so that nothing needs to be known`).toBeDefined();
    }
    if (secret !== undefined)
      expect(Object.keys(readSpec(Secret, secret).keys ?? {})).toEqual(Object.keys(template.secrets));
  },
);

test.each([...templates])(
  "%s names its image by version, restarts, and says when it is healthy",
  (_, template) => {
    expect(String(template.inputs.version?.default)).toMatch(/\d+[.-]\d+/);
    for (const part of partsOf(template)) {
      expect(part.image).toMatch(/^[a-z0-9/-]+:\$\{VERSION\}$/);
      expect(part.restart).toBe("unless-stopped");
      expect(part.healthcheck).toMatchObject({ test: expect.any(Array), interval: expect.any(String) });
    }
  },
);

test.each([...templates])(
  "%s has each of its inputs and secrets somewhere, and names nothing else",
  (_, template) => {
    const named = Object.values(template.files).flatMap((text) => [...text.matchAll(/(?<!\$)\$\{(\w+)\}/g)]);
    const declared = [...Object.keys(template.inputs), ...Object.keys(template.secrets)];
    expect(new Set(named.map(([, name]) => name))).toEqual(
      new Set(declared.map((name) => name.toUpperCase())),
    );
  },
);

test.each([...templates])(
  "%s holds no password in clear: each is generated, and referred to",
  (_, template) => {
    const { service, secret } = renderedBy(template);
    const referred = Object.entries(service.environment ?? {}).flatMap(([name, value]) =>
      isObject(value as never) ? [[name, value]] : [],
    );
    expect(Object.fromEntries(referred)).toEqual(
      Object.fromEntries(
        Object.keys(template.secrets).map((key) => [
          key.toUpperCase(),
          { secretRef: { name: "thing", key } },
        ]),
      ),
    );
    const keys = (secret as { keys?: object } | undefined)?.keys ?? {};
    for (const about of Object.values(keys)) expect(about).toMatchObject({ generate: true });
    for (const part of partsOf(template))
      for (const [name, value] of Object.entries((part.environment ?? {}) as JsonObject))
        if (/PASS|SECRET|TOKEN|KEY/.test(name)) expect(value).toMatch(/^\$\{\w+\}$/);
  },
);

const hostile = [
  'a"b',
  "it's",
  "a\nb: c",
  "a\n    privileged: true",
  "${PASSWORD}",
  "$(id)",
  "`id`",
  "{a: b}",
  "[1, 2",
  "- x",
  "# no comment",
  "&a *a !!binary",
  "%",
  "null",
  "\u2028",
  "a: |\n  b",
];

test.each(hostile)("what an input holds stays a value in its place: %j", (text) => {
  for (const template of templates.values()) {
    const usual = renderedBy(template).service;
    for (const [name, input] of Object.entries(template.inputs)) {
      if (input.type !== "text") {
        expect(() => renderedBy(template, { [name]: text })).toThrow(`/inputs/${name}: must be`);
        continue;
      }
      if (input.pattern !== undefined && !new RegExp(`^(?:${input.pattern})$`, "u").test(text)) {
        expect(() => renderedBy(template, { [name]: text })).toThrow(`/inputs/${name}: must match`);
        continue;
      }
      const { service } = renderedBy(template, { [name]: text });
      expect(service).toEqual({
        ...usual,
        environment: { ...usual.environment, [name.toUpperCase()]: text },
      });
    }
  }
});

test("an input cannot refer to a secret, and one that there is not is refused", () => {
  const grafana = templates.get("grafana") as Template;
  expect(() => renderedBy(grafana, { prometheus: "${{ secrets.other.key }}" })).toThrow("/inputs/prometheus");
  expect(() => renderedBy(grafana, { nope: 1 })).toThrow("/inputs/nope: there is no such input");
  expect(() => renderedBy(grafana, { port: 70_000 })).toThrow("/inputs/port: must be at most 65535");
});
