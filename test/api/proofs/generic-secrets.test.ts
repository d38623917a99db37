import { expect } from "chai";
import type { Schema } from "../../support/fixture/fixture-bodies.ts";
import type { Operation } from "../../support/fixture/fixture-operations.ts";
import { sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { isWriteOnly, REVEALING, secretFields, sendSecrets, storedSecrets } from "../../support/fixture/secret-walk.ts";

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
    let world: World;
    before(async () => {
      world = await sharedWorld();
    });
    after(() => world.stop());

    // The log, the sealed columns and the reads of the other modules: generic-secret-walk.deep.test.ts.
    it("is in no answer of the modules that keep secrets, and in no table", async () => {
      const moduleOf = ({ path }: Operation) => path.split("/")[1];
      const modules = new Set(world.operations.filter(({ body }) => secretFields(body).length > 0).map(moduleOf));
      const reads = world.operations.filter((operation) => operation.method === "GET" && modules.has(moduleOf(operation)));
      const found = await sendSecrets(world, await world.service.tenant(), reads);
      expect(found.leaks).to.deep.equal([]);
      expect(await storedSecrets(world, found)).to.deep.equal([]);
      expect(found.sent.filter(({ status }) => status >= 500)).to.deep.equal([]);
      expect(found.sent.filter(({ status }) => status < 300).length, "secrets that were taken").to.be.greaterThan(10);
    });
  });
});
