import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
const NEXT = "another horse, another battery";

describe("one's own account", () => {
  let service: TestService;
  let tenant: Tenant;
  const open = async (person: Caller, password = PASSWORD, at = tenant) =>
    inSession(service.port, at.host, await signIn(service.port, at.host, person.email, password));
  const newPerson = async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    return { person, session: await open(person) };
  };
  const madeBySso = (person: Caller) =>
    service.sql.query("update sessions set method = 'sso' where account_id = $1", [person.accountId]);
  const mayEnter = async (email: string, password: string, at = tenant) =>
    (await postLogin(service.port, at.host, { username: email, password })).status === 204;
  /** The same person in a second organisation. */
  const alsoIn = (other: Tenant, person: Caller) =>
    service.sql.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [
      other.organisation.id,
      person.accountId,
    ]);
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  describe("GET /users/me", () => {
    it("answers the account and nothing about memberships", async () => {
      const person = await tenant.member("member", { password: PASSWORD, name: "Anna de Wit" });
      const { status, body, headers } = await (await open(person)).get("/users/me");
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        id: person.accountId,
        email: person.email,
        full_name: "Anna de Wit",
        is_active: true,
        is_superuser: false,
        is_verified: true,
      });
      expect(headers.etag).to.match(/^"\d+"$/);
    });

    it("is 401 for an anonymous caller and for a key, and for the session on another organisation's host", async () => {
      const { session } = await newPerson();
      const other = await service.tenant();
      expect((await send(service.port, "GET", "/users/me", { host: tenant.host })).status).to.equal(401);
      expect((await tenant.owner.get("/users/me")).status).to.equal(401);
      expect((await session.get("/users/me", { host: other.host })).status).to.equal(401);
    });
  });

  describe("PATCH /users/me", () => {
    it("ignores e-mail and flags: nobody promotes themselves to instance administrator", async () => {
      const { person, session } = await newPerson();
      const body = { email: "else@example.com", is_superuser: true, is_active: false, is_verified: false };
      const answer = await session.patch("/users/me", body);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.include({ email: person.email, is_superuser: false, is_active: true, is_verified: true });
      const nulls = await session.patch("/users/me", { email: null, is_active: null, is_superuser: null, is_verified: null });
      expect(nulls.body).to.deep.equal(answer.body);
    });

    it("changes the name; null and blank clear it; absent leaves it", async () => {
      const { session } = await newPerson();
      const name = async (body: object) => (await session.patch("/users/me", body)).body.full_name;
      expect(await name({ full_name: "Anna de Wit" })).to.equal("Anna de Wit");
      expect(await name({})).to.equal("Anna de Wit");
      expect(await name({ full_name: null })).to.equal(null);
      await name({ full_name: "Anna" });
      expect(await name({ full_name: "  " })).to.equal(null);
    });

    it("refuses a password against the rule with its own key, and changes nothing else either", async () => {
      const { person, session } = await newPerson();
      const cases = [
        ["short", "errors.password_too_short"],
        ["x".repeat(129), "errors.password_too_long"],
        [person.email.toUpperCase(), "errors.password_is_email"],
      ];
      for (const [password, message] of cases) {
        const answer = await session.patch("/users/me", { full_name: "Changed", password });
        expect(answer.status, message).to.equal(400);
        expect(answer.body.error).to.deep.equal({ code: "invalid_password", message });
      }
      expect((await session.get("/users/me")).body.full_name).not.to.equal("Changed");
      expect(await mayEnter(person.email, PASSWORD)).to.equal(true);
    });

    it("ends every other session with a new password, in other organisations too, and keeps this one and the keys", async () => {
      const { person, session } = await newPerson();
      const other = await service.tenant();
      await alsoIn(other, person);
      const [here, there] = [await open(person), await open(person, PASSWORD, other)];
      const stranger = await newPerson();
      expect((await there.get("/users/me")).status).to.equal(200);
      expect((await session.patch("/users/me", { password: NEXT })).status).to.equal(200);
      expect((await here.get("/users/me")).status).to.equal(401);
      expect((await there.get("/users/me")).status).to.equal(401);
      expect((await session.get("/users/me")).status).to.equal(200);
      expect((await stranger.session.get("/users/me")).status).to.equal(200);
      expect((await person.get("/companies")).status).to.equal(200);
      expect([await mayEnter(person.email, PASSWORD), await mayEnter(person.email, NEXT)]).to.deep.equal([false, true]);
    });

    describe("asks for the current password once the sign-in is ten minutes old", () => {
      const signedInAgo = (person: Caller, age: string) =>
        service.sql.query("update sessions set created_at = now() - $2::interval where account_id = $1", [person.accountId, age]);
      const wrong = { code: "password_incorrect", message: "errors.password_incorrect" };

      it("and changes nothing without it", async () => {
        const { person, session } = await newPerson();
        await signedInAgo(person, "10 minutes 1 second");
        for (const current of [undefined, null, ""]) {
          const answer = await session.patch("/users/me", { full_name: "Changed", password: NEXT, current_password: current });
          expect(answer.status).to.equal(422);
          expect(answer.body.error.fields).to.deep.equal({ current_password: "errors.required" });
        }
        const refused = await session.patch("/users/me", { password: NEXT, current_password: "a guess" });
        expect([refused.status, refused.body.error]).to.deep.equal([400, wrong]);
        expect((await session.get("/users/me")).body.full_name).not.to.equal("Changed");
        expect(await mayEnter(person.email, PASSWORD)).to.equal(true);
      });

      it("and takes the new one with it", async () => {
        const { person, session } = await newPerson();
        await signedInAgo(person, "3 days");
        expect((await session.patch("/users/me", { password: NEXT, current_password: PASSWORD })).status).to.equal(200);
        expect([await mayEnter(person.email, PASSWORD), await mayEnter(person.email, NEXT)]).to.deep.equal([false, true]);
      });

      it("but not before, nor for a name; a wrong one that is sent is refused all the same", async () => {
        const { person, session } = await newPerson();
        const sent = await session.patch("/users/me", { password: NEXT, current_password: "a guess" });
        expect([sent.status, sent.body.error]).to.deep.equal([400, wrong]);
        await signedInAgo(person, "9 minutes 30 seconds");
        expect((await session.patch("/users/me", { password: NEXT })).status).to.equal(200);
        await signedInAgo(person, "1 day");
        expect((await session.patch("/users/me", { full_name: "Anna", password: null })).status).to.equal(200);
      });

      it("and says so before it says that the new one breaks the rule", async () => {
        const { person, session } = await newPerson();
        await signedInAgo(person, "1 day");
        expect((await session.patch("/users/me", { password: "short" })).status).to.equal(422);
        const answer = await session.patch("/users/me", { password: "short", current_password: PASSWORD });
        expect(answer.body.error.message).to.equal("errors.password_too_short");
      });
    });

    it("ignores a null password and ends nothing", async () => {
      const { person, session } = await newPerson();
      const other = await open(person);
      expect((await session.patch("/users/me", { password: null, full_name: "Still here" })).status).to.equal(200);
      expect((await other.get("/users/me")).status).to.equal(200);
      expect(await mayEnter(person.email, PASSWORD)).to.equal(true);
    });

    it("takes no new password in a session made by SSO: that one proves the person here only", async () => {
      const { person, session } = await newPerson();
      await madeBySso(person);
      const answer = await session.patch("/users/me", { password: NEXT });
      expect(answer.status).to.equal(403);
      expect(answer.body.error).to.deep.equal({ code: "forbidden", message: "errors.forbidden" });
      expect((await session.patch("/users/me", { full_name: "By SSO", password: null })).status).to.equal(200);
      expect(await mayEnter(person.email, PASSWORD)).to.equal(true);
    });

    it("writes with If-Match only while the tag holds, and the tag moves only with a change", async () => {
      const { session } = await newPerson();
      const { etag } = (await session.get("/users/me")).headers as { etag: string };
      const write = (tag: string, full_name: string) =>
        session.patch("/users/me", { full_name }, { headers: { "If-Match": tag } });
      expect((await write(etag, "One")).status).to.equal(200);
      expect((await write(etag, "Two")).status).to.equal(412);
      const { headers } = await session.patch("/users/me", { full_name: "One" });
      expect(headers.etag).to.equal((await session.get("/users/me")).headers.etag);
      expect((await write(headers.etag as string, "Three")).status).to.equal(200);
    });

    it("never shows or keeps a password in the clear", async () => {
      const { person, session } = await newPerson();
      const answer = await session.patch("/users/me", { password: "a very visible secret" });
      const { rows } = await service.sql.query("select a::text as row from accounts a where id = $1", [person.accountId]);
      expect(answer.text + JSON.stringify(rows)).not.to.contain("visible");
      expect(answer.text).not.to.contain("argon2");
    });
  });

  describe("POST /users/me/email", () => {
    const change = (session: ReturnType<typeof inSession>, email: string, password = PASSWORD) =>
      session.post("/users/me/email", { email, password });

    it("moves sign-in at once, unverified, lower-case, and ends all other sessions but nothing else", async () => {
      const { person, session } = await newPerson();
      const other = await service.tenant();
      await alsoIn(other, person);
      const [here, there] = [await open(person), await open(person, PASSWORD, other)];
      const { status, body } = await change(session, "Moved.Person@Example.com");
      expect(status).to.equal(200);
      expect(body).to.deep.include({ email: "moved.person@example.com", is_verified: false });
      expect([await mayEnter(person.email, PASSWORD), await mayEnter("moved.person@example.com", PASSWORD)]).to.deep.equal([
        false,
        true,
      ]);
      for (const ended of [here, there]) expect((await ended.get("/users/me")).status).to.equal(401);
      expect((await session.get("/users/me")).status).to.equal(200);
      expect((await person.get("/companies")).status).to.equal(200);
    });

    it("looks at the password first, so that a stolen session learns nothing about addresses", async () => {
      const { person, session } = await newPerson();
      const taken = await tenant.member("member");
      const answers = await Promise.all(
        [taken.email, "free@example.com", person.email].map((email) => change(session, email, "wrong password")),
      );
      for (const { status, text } of answers) {
        expect(status).to.equal(400);
        expect(text).to.equal('{"error":{"code":"password_incorrect","message":"errors.password_incorrect"}}');
      }
    });

    it("accepts its own address in another case and changes nothing, not even a session", async () => {
      const { person, session } = await newPerson();
      const other = await open(person);
      const before = await session.get("/users/me");
      const { status, body, headers } = await change(session, person.email.toUpperCase());
      expect(status).to.equal(200);
      expect(body).to.deep.equal(before.body);
      expect(headers.etag).to.equal(before.headers.etag);
      expect((await other.get("/users/me")).status).to.equal(200);
    });

    it("refuses an address registered anywhere, in any case", async () => {
      const { person, session } = await newPerson();
      const elsewhere = await (await service.tenant()).member("member");
      const answer = await change(session, elsewhere.email.toUpperCase());
      expect(answer.status).to.equal(409);
      expect(answer.body.error).to.deep.equal({ code: "email_taken", message: "errors.email_taken" });
      expect((await session.get("/users/me")).body.email).to.equal(person.email);
    });

    it("lets one of two people have an address they want at the same time", async () => {
      const [one, other] = [await newPerson(), await newPerson()];
      const answers = await Promise.all([one, other].map(({ session }) => change(session, "wanted@example.com")));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    });

    it("is 422 for an invalid address and for missing fields", async () => {
      const { session } = await newPerson();
      expect((await change(session, "nonsense")).body.error.fields).to.deep.equal({ email: "errors.invalid_email" });
      expect((await session.post("/users/me/email", {})).body.error.fields).to.deep.equal({
        email: "errors.required",
        password: "errors.required",
      });
    });

    it("is 403 in a session made by SSO, with any password", async () => {
      const { person, session } = await newPerson();
      await madeBySso(person);
      for (const password of [PASSWORD, "wrong password"])
        expect((await change(session, "sso@example.com", password)).status).to.equal(403);
    });
  });
});
