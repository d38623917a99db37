import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";
import type { Schema } from "../../support/fixture/fixture-bodies.ts";
import type { Operation } from "../../support/fixture/fixture-operations.ts";
import { sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { isWriteOnly, REVEALING, secretFields, type Walk } from "../../support/fixture/secret-walk.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const SCRIPT = `
  import { walkSecrets } from "${ROOT}/test/support/fixture/secret-walk.ts";
  process.send(await walkSecrets());
`;

/** Every field of a schema, at any depth, with its path. */
function* fieldsOf(schema: Schema, at = ""): Generator<[string, Schema]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${at}${name}`, field];
    yield* fieldsOf(field, `${at}${name}.`);
  }
  const inner = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  for (const one of inner) if (one) yield* fieldsOf(one, at);
}

describe("every secret of the document", function () {
  this.timeout(180_000);

  describe("as the document shows it", () => {
    let world: World;
    before(async () => {
      world = await sharedWorld();
    });
    after(() => world.stop());

    const answered = (wrong: (name: string, field: Schema, operation: Operation) => boolean): string[] =>
      world.operations.flatMap((operation) =>
        [...operation.answers.values()].flatMap((schema) =>
          [...fieldsOf(schema ?? {})]
            .filter(([name, field]) => wrong(name.split(".").at(-1) as string, field, operation))
            .map(([name]) => `${operation.label}: ${name}`),
        ),
      );

    it("is in no answer where it can only be written", () => {
      expect(answered((_, field) => isWriteOnly(field))).to.deep.equal([]);
    });

    it("is in an answer only if declared to be shown once", () => {
      const isText = ({ type }: Schema) => [type ?? "string"].flat().includes("string");
      const reported = answered((name, field, { declared }) => REVEALING.test(name) && isText(field) && !declared.oneTime);
      // The word that names a period, by the contract.
      expect(reported.filter((name) => !/: (?:period|compared_with)\.token$/.test(name))).to.deep.equal([]);
    });

    it("may be left out, be null or be empty where it keeps the stored one", () => {
      const wrong = world.operations.flatMap(({ label, body }) =>
        secretFields(body)
          .filter((name) => body?.properties?.[name]?.["writeOnly"] === true)
          .filter((name) => {
            const field = body?.properties?.[name] as Schema;
            // A newly created record keeps nothing, so it can require its secret.
            if (label.startsWith("POST ") && body?.required?.includes(name)) return false;
            return body?.required?.includes(name) || !field.type?.includes("null") || (field.minLength ?? 0) > 0;
          })
          .map((name) => `${label}: ${name}`),
      );
      expect(wrong).to.deep.equal([]);
    });
  });

  describe("when it is sent", () => {
    let [log, walk] = ["", { sent: [], leaks: [], asked: 0, rotated: {}, unopened: [] } as Walk];

    before(async () => {
      const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
      const env = { ...process.env, TEST_LOG: "trace" };
      const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
      for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
      child.on("message", (message) => (walk = message as Walk));
      const status = await new Promise((resolve) => child.on("close", resolve));
      if (status !== 0) throw new Error(log.slice(-4000));
    });

    it("is accepted where it should be", () => {
      const statuses = new Map(walk.sent.map(({ field, status }) => [field, status]));
      expect(statuses.get("POST /fixture/vaults secret")).to.equal(201);
      expect([...statuses].filter(([, status]) => status >= 500)).to.deep.equal([]);
      expect(walk.asked).to.be.greaterThan(20);
      process.stdout.write(
        `    ${walk.sent.length} secret fields, ${walk.sent.filter(({ status }) => status < 300).length} taken\n`,
      );
    });

    it("is in no answer, no trail, no event, no remembered answer, and no table: a sealed text is in no answer either", () => {
      expect(walk.leaks).to.deep.equal([]);
    });

    it("is sealed for the very row a rotation finds it in, in every sealed column of the database", () => {
      expect(walk.unopened).to.deep.equal([]);
      expect(walk.rotated["fixture_vaults.secret"]).to.be.greaterThan(0);
      expect(Object.entries(walk.rotated).filter(([, values]) => values === 0)).to.deep.equal([]);
    });

    it("is in no line of the log, at its most talkative", () => {
      expect(log.length).to.be.greaterThan(1000);
      expect(walk.sent.filter(({ secret }) => log.includes(secret)).map(({ field }) => field)).to.deep.equal([]);
    });
  });
});
