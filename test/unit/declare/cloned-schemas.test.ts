import { expect } from "chai";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { answer, input, text, uuid } from "../../../core/schema/schema.ts";

describe("the schemas of an action in a service", () => {
  const declared = openAction({
    rest: "POST /things/:thing_id",
    summary: "Thing",
    open: "a test",
    query: { part: text(5) },
    body: input("Thing", { name: text(5) }),
    returns: answer("ThingRead", { id: uuid() }),
    handler: () => null,
  });
  const make = () => {
    const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
    const schema = { name: "things", mixins: [{ name: "", methods: {} }], actions: { make: declared } };
    return broker.createService(schema as unknown as ServiceSchema);
  };

  it("are those of the declaration: Moleculer clones none of them", () => {
    const { schema, originalSchema } = make() as unknown as Record<
      "schema" | "originalSchema",
      { actions: { make: typeof declared } }
    >;
    for (const name of ["query", "body", "returns"] as const) {
      expect(schema.actions.make[name], name).to.equal(declared[name]);
      expect(originalSchema.actions.make[name], name).to.equal(declared[name]);
    }
    expect(schema.actions.make, "the action itself is its service's own").to.not.equal(declared);
  });

  it("are plain JSON for other nodes", () => {
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
    const { _serviceSpecification: published } = make() as unknown as {
      _serviceSpecification: { actions: Record<string, typeof declared> };
    };
    expect(plain(published.actions["things.make"]?.body)).to.deep.equal(plain(declared.body));
    expect(plain(declared.body)).to.deep.include({ type: "object", required: ["name"] });
  });
});
