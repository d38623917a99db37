import { expect } from "chai";
import { errorsOf, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** A column that may name what does not exist: its file, with a known word and the unknown `Zoiets` or `nieuw@x.example`. */
const COLUMNS: readonly (readonly [entity: string, column: string, file: string, error: string])[] = [
  ["task", "labels", "Titel;Labels\nEen;Zoiets\n", "impex.errors.unresolved_reference"],
  ["task", "status", "Titel;Status\nEen;Zoiets\n", "impex.errors.invalid_option"],
  ["task", "responsible", "Titel;Assignee\nEen;nieuw@x.example\n", "impex.errors.unresolved_reference"],
  ["task", "assignees", "Titel;Team\nEen;nieuw@x.example\n", "impex.errors.unresolved_reference"],
  ["project", "responsible", "Naam;Klant;Responsible\nEen;Bakker;nieuw@x.example\n", "impex.errors.unresolved_reference"],
  ["contact", "contact_types", "Voornaam;Klant;Type\nEen;Bakker;Zoiets\n", "impex.errors.unresolved_reference"],
  ["domain", "registrar", "Domein;Klant;Registrar\neen.nl;Bakker;Zoiets\n", "impex.errors.unresolved_reference"],
  ["domain", "status", "Domein;Klant;Status\neen.nl;Bakker;Zoiets\n", "impex.errors.invalid_option"],
  ["hosting", "provider", "Naam;Klant;Provider\nEen;Bakker;Zoiets\n", "impex.errors.unresolved_reference"],
  ["time_entry", "entry_type_key", "Datum;Duur;Type\n2026-05-04;1:00;Zoiets\n", "errors.time_entry_type_unknown"],
];
/** Where the caller may make them, `create` does. */
const MADE = new Set([
  "task labels",
  "task status",
  "contact contact_types",
  "domain registrar",
  "hosting provider",
  "time_entry entry_type_key",
]);

describe("words of a file that name nothing (conventions §22)", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await tenant.company({ name: "Bakker" });
  });
  after(() => service.stop());

  const left = ({ left_out: all }: { left_out: { row: number; column: string; value: string }[] }) =>
    all.map(({ row, column, value }) => `${row} ${column} ${value}`);

  for (const [entity, column, file, error] of COLUMNS)
    it(`${column} of ${entity}: an error, left out and named, or made`, async () => {
      expect(errorsOf((await sendSheet(tenant.owner, entity, file)).body)).to.deep.equal([`2 ${column} ${error}`]);
      const word = /nieuw@x\.example|Zoiets/.exec(file)?.[0];
      const skipped = await sendSheet(tenant.owner, entity, file, "?unknown=leave_out");
      expect(skipped.body, skipped.text).to.deep.include({ created: 1, also_created: 0, errors: [] });
      expect(left(skipped.body)).to.deep.equal([`2 ${column} ${word}`]);
      const rehearsed = await sendSheet(tenant.owner, entity, file, "?unknown=create");
      const isMade = MADE.has(`${entity} ${column}`);
      expect(rehearsed.body, rehearsed.text).to.deep.include({ created: 1, also_created: isMade ? 1 : 0, errors: [] });
      expect(left(rehearsed.body)).to.deep.equal(isMade ? [] : [`2 ${column} ${word}`]);
      const real = await sendSheet(tenant.owner, entity, file, "?unknown=create&dry_run=false");
      expect(real.body, real.text).to.deep.include({ created: 1, also_created: isMade ? 1 : 0 });
      const again = await sendSheet(tenant.owner, entity, file, "?unknown=create&dry_run=false");
      expect(again.body, again.text).to.deep.include({ also_created: 0, errors: [] });
      if (entity !== "hosting") expect(again.body).to.include({ created: 0 });
    });

  it("makes only what the caller may make, and leaves the rest out", async () => {
    const grants = ["impex.import", "tasks.task.write:any", "tasks.task.create", "tasks.label.write"];
    const plain = await tenant.member("member", { grants });
    const file = "Titel;Status;Labels\nEen;Bij de klant;Zoiets\n";
    const answer = await sendSheet(plain, "task", file, "?unknown=create&dry_run=false");
    expect(answer.body, answer.text).to.deep.include({ created: 1, also_created: 1, errors: [] });
    expect(left(answer.body)).to.deep.equal(["2 status Bij de klant"]);
    const [task] = (await tenant.owner.get("/tasks")).body.items;
    expect([task.status, task.labels.map(({ name }: { name: string }) => name)]).to.deep.equal(["open", ["Zoiets"]]);
  });

  it("keeps the known words of a list, however a tool separates them", async () => {
    await tenant.owner.post("/tasks/labels", { name: "Bug", color: "red" });
    const file = 'Title,Labels\nEen,"[Bug, Feature]"\nTwee,"Bug (red), Feature (green_dark)"\nDrie,[]\n';
    const answer = await sendSheet(tenant.owner, "task", file, "?unknown=leave_out&dry_run=false");
    expect(answer.body, answer.text).to.deep.include({ created: 3, errors: [] });
    expect(left(answer.body)).to.deep.equal(["2 labels Feature", "3 labels Feature"]);
    const { items } = (await tenant.owner.get("/tasks?sort=title")).body;
    expect(items.map(({ labels }: { labels: { name: string }[] }) => labels.map(({ name }) => name))).to.deep.equal([
      [],
      ["Bug"],
      ["Bug"],
    ]);
  });

  it("leaves hours of a person who is not a member out as a whole", async () => {
    const file = "Datum;Duur;Medewerker\n2026-05-04;1:00;weg@x.example\n2026-05-05;1:00;\n";
    const answer = await sendSheet(tenant.owner, "time_entry", file, "?unknown=create&dry_run=false");
    expect(answer.body, answer.text).to.deep.include({ rows: 2, created: 1, errors: [] });
    expect(left(answer.body)).to.deep.equal(["2 employee weg@x.example"]);
  });

  it("leaves a blank for an unknown type, so that the others stay with their company", async () => {
    await tenant.company({ name: "Slager" });
    const type = (await tenant.owner.post("/contacts/types", { key: "chef", label_i18n: { nl: "Chef" } })).body.id;
    const file = 'Voornaam;Bedrijf;Type\nJan;"Bakker; Slager";"Weg; Chef"\n';
    const answer = await sendSheet(tenant.owner, "contact", file, "?unknown=leave_out&dry_run=false");
    expect(answer.body, answer.text).to.deep.include({ created: 1, errors: [] });
    expect(left(answer.body)).to.deep.equal(["2 contact_types Weg"]);
    const [jan] = (await tenant.owner.get("/contacts?q=jan")).body.items;
    expect(jan.companies.map(({ name, contact_type_id: id }: Record<string, unknown>) => [name, id])).to.have.deep.members([
      ["Bakker", null],
      ["Slager", type],
    ]);
  });

  it("is one of three words", async () => {
    const { status, body } = await sendSheet(tenant.owner, "task", "Titel\nEen\n", "?unknown=skip");
    expect([status, Object.keys(body.error.fields)]).to.deep.equal([422, ["unknown"]]);
  });
}).timeout(60_000);
