import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eventsAbout, recordEvents } from "../../../support/answers.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { attach } from "../../platform/files-support.ts";
import { type Body, bodyOf, expectRefusal, linesOf, makeContact, makeTask } from "../tasks/task-records.ts";

describe("comments on a task", () => {
  let service: TestService;
  let tenant: Tenant;
  let task: string;
  let path: string;
  before(async () => {
    service = await sharedService();
    await recordEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    task = (await makeTask(tenant.owner, { title: "Letter", assignees: [] })).id;
    path = `/tasks/${task}/comments`;
  });
  after(() => service.stop());

  const say = async (who: Caller, body: string, parent_id?: string): Promise<Body> =>
    bodyOf(await who.post(path, { body, ...(parent_id !== undefined && { parent_id }) }));
  const detail = async (who: Caller = tenant.owner): Promise<Body> => bodyOf(await who.get(`/tasks/${task}`));
  const bodies = async (): Promise<string[]> => (await detail()).comments.map(({ body }: Body) => body);
  /** The notifications about comments on the task: the event, then the people in no order. */
  const heard = async (): Promise<string[][]> =>
    (await eventsAbout(service, task))
      .filter(({ event }) => /^task\.(mentioned|replied|commented)$/.test(event))
      .map(({ event, payload }) => [event, ...(payload["recipients"] as string[]).toSorted()]);
  const reported = (event: string, ...people: Caller[]) => [event, ...people.map(({ accountId }) => accountId).toSorted()];

  describe("POST /tasks/{task_id}/comments", () => {
    it("keeps markdown and leaves HTML out", async () => {
      const { status, body } = await tenant.owner.post(path, { body: "**Ready** <script>x()</script><b>now</b>" });
      expect([status, body]).to.deep.equal([
        201,
        {
          id: body.id,
          parent_id: null,
          body: "**Ready** now",
          author_user_id: tenant.owner.accountId,
          author_name: body.author_name,
          author_deleted: false,
          impersonator_name: null,
          mentioned_user_ids: [],
          mentioned_contact_ids: [],
          mentioned_task_ids: [],
          created_at: body.created_at,
          edited_at: null,
        },
      ]);
    });

    it("takes 20,000 characters and no more, as an edit does", async () => {
      const { id } = await say(tenant.owner, "\u{1f600}".repeat(20_000));
      const long = { body: "x".repeat(20_001) };
      for (const refused of [await tenant.owner.post(path, long), await tenant.owner.patch(`${path}/${id}`, long)])
        expectRefusal(refused, 422, "validation", { body: "errors.validation" });
    });

    it("keeps code as typed, and unknown elements in it", async () => {
      const typed = "Use `<script>` in `List<String>`, or List<String>:\n\n```html\n<div>x</div>\n```";
      const { status, body } = await tenant.owner.post(path, { body: `<p>${typed}` });
      expect(status).to.equal(201);
      expect(body).to.include({ body: typed });
    });

    it("refuses a body that is blank without its HTML", async () => {
      for (const body of ["", "<i></i>", " \n "]) expect((await tenant.owner.post(path, { body })).status, body).to.equal(422);
      expect(await bodies()).to.deep.equal([]);
    });

    it("is open to readers of the task who may comment, on its roster or not", async () => {
      const member = await tenant.member("member");
      await say(member, "From aside");
      const reader = await tenant.member("member", { grants: ["tasks.task.read"] });
      expectRefusal(await reader.post(path, { body: "No" }), 403, "forbidden");
      expect(await bodies()).to.deep.equal(["From aside"]);
    });

    it("is 404 on a task that is not seen", async () => {
      const client = await tenant.member("client");
      expectRefusal(await client.post(path, { body: "Hello" }), 404, "not_found");
      expectRefusal(await (await service.tenant()).owner.post(path, { body: "Hello" }), 404, "not_found");
    });

    it("answers the opener also when an answer is answered, and only within the task", async () => {
      const opener = await say(tenant.owner, "Opener");
      const reply = await say(tenant.owner, "Reply", opener.id);
      const second = await say(tenant.owner, "Second", reply.id);
      expect([reply.parent_id, second.parent_id]).to.deep.equal([opener.id, opener.id]);
      const other = (await makeTask(tenant.owner)).id;
      const answer = await tenant.owner.post(`/tasks/${other}/comments`, { body: "Elsewhere", parent_id: opener.id });
      expectRefusal(answer, 404, "not_found");
      expectRefusal(await tenant.owner.post(path, { body: "Nowhere", parent_id: randomUUID() }), 404, "not_found");
    });

    it("moves the task's tag", async () => {
      const before = (await tenant.owner.get(`/tasks/${task}`)).headers.etag;
      await say(tenant.owner, "News");
      expect((await tenant.owner.get(`/tasks/${task}`)).headers.etag).not.to.equal(before);
    });
  });

  describe("mentions", () => {
    it("are members, contacts the writer sees and tasks of the organisation, each once and in order", async () => {
      const [ana, ben] = [await tenant.member("member"), await tenant.member("member")];
      const contact = await makeContact(tenant.owner, [(await tenant.company()).id]);
      const elsewhere = await service.tenant();
      const [foreignTask, foreignContact] = [
        (await makeTask(elsewhere.owner)).id,
        await makeContact(elsewhere.owner, [(await elsewhere.company()).id]),
      ];
      const body = [
        `@[Ben](mention:${ben.accountId}) @[Ana](mention:user:${ana.accountId}) @[Ben](mention:user:${ben.accountId})`,
        `@[Not here](mention:${elsewhere.owner.accountId}) @[Nobody](mention:${randomUUID()})`,
        `@[Kees](mention:contact:${contact}) @[Theirs](mention:contact:${foreignContact})`,
        `#[Letter](mention:task:${task}) #[Theirs](mention:task:${foreignTask})`,
      ].join("\n");
      const said = await say(tenant.owner, body);
      expect([said.mentioned_user_ids, said.mentioned_contact_ids, said.mentioned_task_ids]).to.deep.equal([
        [ben.accountId, ana.accountId],
        [contact],
        [task],
      ]);
    });

    it("omit contacts outside the writer's selection, and all of them for a writer who reads no contacts", async () => {
      const [inside, outside] = [await tenant.company(), await tenant.company()];
      const near = await makeContact(tenant.owner, [inside.id]);
      const far = await makeContact(tenant.owner, [outside.id]);
      const loose = await makeContact(tenant.owner, []);
      const body = [near, far, loose].map((id) => `@[X](mention:contact:${id})`).join(" ");
      const restricted = await tenant.member("admin");
      await tenant.group("Inside", [inside.id], [restricted.membershipId]);
      expect((await say(restricted, body)).mentioned_contact_ids).to.deep.equal([near, loose]);
      const blind = await tenant.member("member", { grants: ["tasks.task.read", "tasks.comment.write:own"] });
      expect((await say(blind, body)).mentioned_contact_ids).to.deep.equal([]);
    });

    it("tell a writer nothing of tasks outside of its sight, as of ids that do not exist", async () => {
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      const [near, far] = [
        (await makeTask(tenant.owner, { company_id: mine.id })).id,
        (await makeTask(tenant.owner, { company_id: theirs.id })).id,
      ];
      const restricted = await tenant.member("member");
      await tenant.group("Narrow", [mine.id], [restricted.membershipId]);
      const body = [near, far, task, randomUUID()].map((id) => `#[X](mention:task:${id})`).join(" ");
      const said = await say(restricted, body);
      expect(said.mentioned_task_ids).to.deep.equal([near, task]);
      const edited = bodyOf(await restricted.patch(`${path}/${said.id}`, { body: `${body} again` }));
      expect(edited.mentioned_task_ids).to.deep.equal([near, task]);
      expect((await say(tenant.owner, body)).mentioned_task_ids).to.deep.equal([near, far, task]);
    });

    it("show a reader the contacts and tasks that it sees, in the task and in the answer of a write", async () => {
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      const [near, far] = [
        (await makeTask(tenant.owner, { company_id: mine.id })).id,
        (await makeTask(tenant.owner, { company_id: theirs.id })).id,
      ];
      const contacts = [await makeContact(tenant.owner, [mine.id]), await makeContact(tenant.owner, [theirs.id])];
      const markers = [
        ...[near, far].map((id) => `#[X](mention:task:${id})`),
        ...contacts.map((id) => `@[X](mention:contact:${id})`),
      ];
      const written = await say(tenant.owner, markers.join(" "));
      expect([written.mentioned_task_ids, written.mentioned_contact_ids]).to.deep.equal([[near, far], contacts]);
      const read = async (who: Caller): Promise<string[][]> => {
        const { comments } = bodyOf(await who.get(`/tasks/${task}`));
        const { mentioned_task_ids, mentioned_contact_ids } = comments.find(({ id }: Body) => id === written.id);
        return [mentioned_task_ids, mentioned_contact_ids];
      };
      expect(await read(tenant.owner)).to.deep.equal([[near, far], contacts]);
      const restricted = await tenant.member("admin");
      await tenant.group("Seen", [mine.id], [restricted.membershipId]);
      expect(await read(restricted)).to.deep.equal([[near], [contacts[0]]]);
      const blind = await tenant.member("member", { grants: ["tasks.task.read"] });
      expect(await read(blind)).to.deep.equal([[near, far], []]);
    });

    it("show their own writer only what it sees by now", async () => {
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      const far = (await makeTask(tenant.owner, { company_id: theirs.id })).id;
      const writer = await tenant.member("member");
      const said = await say(writer, `#[X](mention:task:${far})`);
      expect(said.mentioned_task_ids).to.deep.equal([far]);
      await tenant.group("Narrow", [mine.id], [writer.membershipId]);
      const same = bodyOf(await writer.patch(`${path}/${said.id}`, { body: said.body }));
      expect(same.mentioned_task_ids).to.deep.equal([]);
    });

    it("are parsed again when the comment is changed, without a notification", async () => {
      const ana = await tenant.member("member");
      const { id } = await say(tenant.owner, "Plain");
      const before = await heard();
      const changed = bodyOf(await tenant.owner.patch(`${path}/${id}`, { body: `@[Ana](mention:${ana.accountId})` }));
      expect(changed.mentioned_user_ids).to.deep.equal([ana.accountId]);
      expect(await heard()).to.deep.equal(before);
    });
  });

  describe("notifications", () => {
    it("are one each: mentioned, else an answer in their thread, else a comment; the writer gets none", async () => {
      const [roster, opener, earlier, mentioned] = [
        await tenant.member("member"),
        await tenant.member("member"),
        await tenant.member("member"),
        await tenant.member("member"),
      ];
      bodyOf(await tenant.owner.patch(`/tasks/${task}`, { assignees: [{ user_id: roster.accountId }] }));
      await say(earlier, "Earlier");
      const thread = await say(opener, "Opener");
      const before = (await heard()).length;
      const names = [mentioned, opener].map(({ accountId }) => `@[X](mention:${accountId})`).join(" ");
      const reply = await say(tenant.owner, `Reply to ${names}`, thread.id);
      expect((await heard()).slice(before)).to.deep.equal([
        reported("task.mentioned", mentioned, opener),
        reported("task.commented", roster, earlier),
      ]);
      await say(mentioned, "I am in", thread.id);
      expect((await heard()).slice(before + 2)).to.deep.equal([
        reported("task.replied", opener, tenant.owner),
        reported("task.commented", roster, earlier),
      ]);
      const { payload } = (await eventsAbout(service, task)).find(({ event }) => event === "task.mentioned") as {
        payload: object;
      };
      expect(payload).to.deep.equal({
        task_id: task,
        title: "Letter",
        excerpt: "Reply to @X @X",
        comment_id: reply.id,
        thread_id: thread.id,
        recipients: [mentioned.accountId, opener.accountId],
      });
    });

    it("reaches no one on a task without roster that only its writer comments on", async () => {
      await say(tenant.owner, `@[Me](mention:${tenant.owner.accountId})`);
      await say(tenant.owner, "Again");
      expect(await heard()).to.deep.equal([reported("task.commented"), reported("task.commented")]);
    });
  });

  describe("PATCH /tasks/{task_id}/comments/{comment_id}", () => {
    it("is the author's alone, regardless of others' permissions, and dates the change", async () => {
      const ana = await tenant.member("member");
      const { id } = await say(ana, "Mine");
      expectRefusal(await tenant.owner.patch(`${path}/${id}`, { body: "Yours" }), 403, "forbidden");
      const changed = bodyOf(await ana.patch(`${path}/${id}`, { body: "Mine <b>still</b>", parent_id: randomUUID() }));
      expect([changed.body, changed.parent_id, typeof changed.edited_at]).to.deep.equal(["Mine still", null, "string"]);
    });

    it("of the same text changes nothing", async () => {
      const { id } = await say(tenant.owner, "Same");
      const { body, headers } = await tenant.owner.patch(`${path}/${id}`, { body: "Same" });
      expect([body.edited_at, headers.etag]).to.deep.equal([null, '"1"']);
    });

    it("is a service account's for its own comments", async () => {
      const scopes = ["tasks.task.read", "tasks.comment.write:own"];
      const [robot, other] = [await tenant.serviceAccount(scopes), await tenant.serviceAccount(scopes)];
      const said = await say(robot, "Beep");
      expect([said.author_user_id, said.author_name !== null, said.author_deleted]).to.deep.equal([null, true, false]);
      expectRefusal(await other.patch(`${path}/${said.id}`, { body: "Boop" }), 403, "forbidden");
      expect((await robot.patch(`${path}/${said.id}`, { body: "Boop" })).status).to.equal(200);
    });

    it("compares If-Match after the author check", async () => {
      const { id } = await say(tenant.owner, "Mine");
      const stale = { headers: { "If-Match": '"9"' } };
      expectRefusal(await (await tenant.member("admin")).patch(`${path}/${id}`, { body: "X" }, stale), 403, "forbidden");
      expectRefusal(await tenant.owner.patch(`${path}/${id}`, { body: "X" }, stale), 412, "precondition_failed");
      expectRefusal(await tenant.owner.delete(`${path}/${id}`, stale), 412, "precondition_failed");
    });
  });

  describe("DELETE /tasks/{task_id}/comments/{comment_id}", () => {
    it("deletes an opener with its answers, and reports how many", async () => {
      const opener = await say(tenant.owner, "Opener **bold**");
      await say(tenant.owner, "One", opener.id);
      await say(tenant.owner, "Two", opener.id);
      const alone = await say(tenant.owner, "Alone");
      expect((await tenant.owner.delete(`${path}/${opener.id}`)).status).to.equal(204);
      expect((await tenant.owner.delete(`${path}/${alone.id}`)).status).to.equal(204);
      expect(await bodies()).to.deep.equal([]);
      expect((await linesOf(service, task)).slice(-2)).to.deep.equal([
        ["comment_deleted", { excerpt: "Opener bold", replies: 2 }],
        ["comment_deleted", { excerpt: "Alone" }],
      ]);
    });

    it("is the author's, or a holder's of `:any`", async () => {
      const [ana, ben, admin] = [await tenant.member("member"), await tenant.member("member"), await tenant.member("admin")];
      const [first, second] = [await say(ana, "First"), await say(ana, "Second")];
      expectRefusal(await ben.delete(`${path}/${first.id}`), 403, "forbidden");
      expect((await ana.delete(`${path}/${first.id}`)).status).to.equal(204);
      expect((await admin.delete(`${path}/${second.id}`)).status).to.equal(204);
    });

    it("is 404 below another task", async () => {
      const { id } = await say(tenant.owner, "Here");
      const other = (await makeTask(tenant.owner)).id;
      for (const call of [
        tenant.owner.delete(`/tasks/${other}/comments/${id}`),
        tenant.owner.patch(`/tasks/${other}/comments/${id}`, { body: "X" }),
      ])
        expectRefusal(await call, 404, "not_found");
      expect(await bodies()).to.deep.equal(["Here"]);
    });

    it("against an answer at the same moment leaves no answer behind", async () => {
      const opener = await say(tenant.owner, "Opener");
      const [gone, answered] = await Promise.all([
        tenant.owner.delete(`${path}/${opener.id}`),
        tenant.owner.post(path, { body: "Late", parent_id: opener.id }),
      ]);
      expect(gone.status).to.equal(204);
      expect([201, 404]).to.include(answered.status);
      expect(await bodies()).to.deep.equal([]);
    });
  });

  describe("as the detail of a task shows them", () => {
    it("are threads, oldest first, each opener followed by its answers", async () => {
      const first = await say(tenant.owner, "First");
      const second = await say(tenant.owner, "Second");
      await say(tenant.owner, "Second's", second.id);
      await say(tenant.owner, "First's", first.id);
      expect(await bodies()).to.deep.equal(["First", "First's", "Second", "Second's"]);
      expect((await detail()).comments_truncated).to.equal(false);
    });

    it("are the newest 200, and the cut falls between threads", async () => {
      const openers = (count: number, from: string) =>
        service.sql.query(
          `insert into task_comments (id, organisation_id, task_id, body, created_at)
           select uuidv7(), $1, $2, 'Thread ' || n, $4::timestamptz + n * interval '1 minute' from generate_series(1, $3::int) n returning id`,
          [tenant.organisation.id, task, count, from],
        );
      const { rows } = await openers(198, "2026-01-02T00:00:00Z");
      const replies =
        "insert into task_comments (id, organisation_id, task_id, parent_id, body) select uuidv7(), $1, $2, $3, 'R' from generate_series(1, $4)";
      await service.sql.query(replies, [tenant.organisation.id, task, rows[0].id, 2]);
      const full = await detail();
      expect([full.comments.length, full.comments_truncated]).to.deep.equal([200, false]);
      await service.sql.query(replies, [tenant.organisation.id, task, rows[0].id, 1]);
      const cut = await detail();
      expect([cut.comments.length, cut.comments_truncated, cut.comments[0].body]).to.deep.equal([197, true, "Thread 2"]);
      await service.sql.query("delete from task_comments where task_id = $1", [task]);
      await openers(201, "2026-01-02T00:00:00Z");
      const newest = await detail();
      expect([newest.comments.length, newest.comments_truncated, newest.comments.at(-1).body]).to.deep.equal([
        200,
        true,
        "Thread 201",
      ]);
    });

    it("show the author's name as it is, and once the account is gone as it was", async () => {
      const ana = await tenant.member("member", { name: "Ana" });
      await say(ana, "Mine");
      await service.sql.query("update accounts set full_name = 'Ana Bos' where id = $1", [ana.accountId]);
      const author = async () => {
        const [{ author_name, author_deleted, author_user_id }] = (await detail()).comments;
        return [author_name, author_deleted, author_user_id];
      };
      expect(await author()).to.deep.equal(["Ana Bos", false, ana.accountId]);
      await service.sql.query("delete from accounts where id = $1", [ana.accountId]);
      expect(await author()).to.deep.equal(["Ana", true, ana.accountId]);
    });
  });

  describe("files", () => {
    const attachTo = (who: Caller, id: string) => attach(who, `entity_type=task_comment&entity_id=${id}`);

    it("hang on comments for those who see the task, and go with the comment", async () => {
      const company = await tenant.company();
      const hidden = (await makeTask(tenant.owner, { company_id: company.id })).id;
      const { id } = bodyOf(await tenant.owner.post(`/tasks/${hidden}/comments`, { body: "Look" }));
      const restricted = await tenant.member("admin");
      await tenant.group("None", [(await tenant.company()).id], [restricted.membershipId]);
      const file = bodyOf(await attachTo(tenant.owner, id));
      expect((await tenant.owner.get(`/files/${file.id}`)).status).to.equal(200);
      expect((await attachTo(restricted, id)).status).to.equal(404);
      expect((await restricted.get(`/files/${file.id}`)).status).to.equal(404);
      expect((await tenant.owner.delete(`/tasks/${hidden}/comments/${id}`)).status).to.equal(204);
      expect((await tenant.owner.get(`/files/${file.id}`)).status).to.equal(404);
    });
  });
});
