import { expect, test } from "vitest";
import { type ComposeProject, composeErrors } from "./compose-file.ts";
import { Service } from "./service.ts";

const web = "services:\n  web:\n    image: web:1\n";

function specOf(given: object): ComposeProject {
  return Service.spec.parse({ hosts: { names: ["a"] }, ...given }) as ComposeProject;
}
const wordsOf = (given: object) =>
  composeErrors(specOf(given)).map(({ pointer, message }) => `${pointer} ${message}`);

test("a service is read, with its Compose files found by their usual name or named in order", () => {
  expect(wordsOf({ files: { "compose.yaml": web } })).toEqual([]);
  expect(wordsOf({ files: { "docker-compose.yml": web, "conf/app.conf": "a: [" } })).toEqual([]);
  expect(
    wordsOf({ files: { "a.yaml": web, "b.yaml": "volumes: {}\n" }, compose: ["a.yaml", "b.yaml"] }),
  ).toEqual([]);
  expect(wordsOf({ files: { "a.yaml": web } })[0]).toMatch(/^\/spec\/files none of them is called/);
  expect(wordsOf({ files: { "a.yaml": web }, compose: ["b.yaml"] })).toEqual([
    "/spec/compose/0 b.yaml is not among the files",
  ]);
});

test("what is wrong in a Compose file is told with its file, line and column", () => {
  const [broken] = wordsOf({ files: { "compose.yaml": `${web}    ports: [80\n` } });
  expect(broken).toMatch(/^\/spec\/files\/compose.yaml compose\.yaml:\d+:\d+: /);
  expect(wordsOf({ files: { "compose.yaml": "- a\n" } })[0]).toContain(
    "compose.yaml:1:1: a Compose file is a mapping",
  );
  expect(wordsOf({ files: { "compose.yaml": "services: [a]\n" } })[0]).toContain(
    "compose.yaml:1:1: services is",
  );
  expect(wordsOf({ files: { "compose.yaml": "volumes: {}\n" } })[0]).toContain("there is no service in it");
  expect(wordsOf({ files: { "compose.yaml": `${web}    build: .\n` } })[0]).toContain(
    "compose.yaml:4:5: images are not built",
  );
});

test.each(["{ reeve.service: x }", "[reeve.service=x]"])(
  "the labels of the keeper are not to be had: %s",
  (labels) => {
    const [refused] = wordsOf({ files: { "compose.yaml": `${web}    labels: ${labels}\n` } });
    expect(refused).toContain("compose.yaml:4:5: labels that begin with reeve.");
  },
);

test("no secret stands in a file, also not in one that Compose does not read", () => {
  const [refused] = wordsOf({
    files: { "compose.yaml": web, "app.conf": "a\nb=${{ secrets.db.password }}\n" },
  });
  expect(refused).toMatch(/^\/spec\/files\/app.conf app\.conf:2: secrets go into/);
});

test("a variable is a value or a reference to one, and no expression", () => {
  const files = { "compose.yaml": web };
  expect(wordsOf({ files, environment: { A: "x", B: "${{ secrets.db.password }}", C: 1 } })).toEqual([]);
  const [refused] = wordsOf({ files, environment: { A: "${{ inputs.a }}" } });
  expect(refused).toMatch(/^\/spec\/environment\/A only/);
});

test.each(["/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a/.", "", "a\\b", "a\0b", "C:a", "x/"])(
  "a path that does not lead straight down is refused: %j",
  (path) => {
    expect(
      Service.spec.safeParse({ hosts: { names: ["a"] }, files: { "compose.yaml": web, [path]: "" } }).success,
    ).toBe(false);
  },
);

test("a file cannot be a folder too", () => {
  const both = { "compose.yaml": web, conf: "", "conf/a": "" };
  expect(Service.spec.safeParse({ hosts: { names: ["a"] }, files: both }).success).toBe(false);
});
