import dgram from "node:dgram";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import packet, { type Answer } from "dns-packet";
import { administrator, type SignedInAdministrator } from "../../support/instance/administrator.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

/** A name server that knows TXT records alone. */
async function startNames(texts: Map<string, string>): Promise<{ address: string; stop(): Promise<void> }> {
  const socket = dgram.createSocket("udp4");
  socket.on("message", (message, from) => {
    const { id = 0, questions = [] } = packet.decode(message);
    const name = questions[0]?.name ?? "";
    const data = texts.get(name);
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (data === undefined ? 3 : 0);
    const answers: Answer[] = data === undefined ? [] : [{ type: "TXT", name, ttl: 0, data }];
    socket.send(packet.encode({ id, type: "response", flags, questions, answers }), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

describe("/instance/organisations/{organisation_id}/domains", () => {
  const texts = new Map<string, string>();
  let names: Awaited<ReturnType<typeof startNames>>;
  let service: TestService;
  let operator: SignedInAdministrator;
  let tenant: Tenant;
  let other: Tenant;

  before(async () => {
    names = await startNames(texts);
    service = await startService({ SERVICE_OUTBOUND_NAME_SERVERS: names.address });
    operator = await administrator(service, ["domains", "organisations"]);
    [tenant, other] = [await service.tenant(), await service.tenant()];
  });
  after(async () => {
    await service.stop();
    await names.stop();
  });

  const place = ({ organisation: { id } }: Tenant) => `/instance/organisations/${id}/domains`;
  const answersAt = async (host: string) => (await tenant.owner.get("/companies", { host })).status;

  it("links a claimed domain once its TXT record is there, and ends it at once when it is removed", async () => {
    const claimed = await operator.post(place(tenant), { hostname: "Office.Agency.example" });
    expect(claimed.status, claimed.text).to.equal(201);
    const { id, hostname, proof } = claimed.body;
    expect([hostname, proof.name]).to.deep.equal(["office.agency.example", "_kantoor.office.agency.example"]);
    const again = await operator.post(place(tenant), { hostname });
    expect([again.body.id, again.body.proof]).to.deep.equal([id, proof]);
    const early = await operator.post(`${place(tenant)}/${id}/check`);
    expect([early.status, early.body.error.details.reason]).to.deep.equal([
      422,
      `${proof.name} has no TXT record '${proof.value}' yet.`,
    ]);
    expect(await answersAt(hostname)).to.equal(401);
    // The claim of another organisation has another proof.
    const rival = await operator.post(place(other), { hostname });
    texts.set(proof.name, rival.body.proof.value);
    expect((await operator.post(`${place(tenant)}/${id}/check`)).status).to.equal(422);
    texts.set(proof.name, proof.value);
    const linked = await operator.post(`${place(tenant)}/${id}/check`);
    expect(linked.status, linked.text).to.equal(200);
    expect(linked.body.verified_at).to.be.a("string");
    expect(linked.body.proof).to.equal(null);
    expect(await answersAt(hostname)).to.equal(200);
    const late = await operator.post(`${place(other)}/${rival.body.id}/check`);
    expect([late.status, late.body.error.code]).to.deep.equal([422, "instance_refused"]);
    expect((await operator.delete(`${place(tenant)}/${linked.body.id}`)).status).to.equal(204);
    expect(await answersAt(hostname)).to.equal(401);
    expect((await operator.get(place(tenant))).body).to.deep.equal([]);
  });

  it("links a trusted domain at once, and refuses names below the base domain and of others", async () => {
    const hostname = "trusted.agency.example";
    const linked = await operator.post(place(tenant), { hostname, is_trusted: true });
    expect(linked.body.verified_at).to.be.a("string");
    expect(await answersAt(hostname)).to.equal(200);
    for (const [name, words] of [
      [hostname, "another organisation"],
      ["x.kantoor.test", "base domain"],
      ["no host", "not a host name"],
    ] as const) {
      const { status, body } = await operator.post(place(other), { hostname: name });
      expect(status).to.equal(422);
      expect(body.error.details.reason).to.contain(words);
    }
    expect((await operator.delete(`${place(other)}/${linked.body.id}`)).status).to.equal(404);
  });
});
