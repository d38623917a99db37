import { expect } from "chai";
import { takeTurn } from "../../../core/outbound/provider/pace.ts";
import { ProviderFailure } from "../../../core/outbound/provider/provider-failure.ts";
import { sharedService, type TestService } from "../../support/service.ts";

describe("a provider's calls a second", () => {
  let running: TestService;
  let counter = 0;
  before(async () => {
    running = await sharedService();
  });
  after(() => running.stop());

  /** When the latest calls of a bucket were let through, in milliseconds after the first of them. */
  async function turns(bucket: string): Promise<number[]> {
    const { rows } = await running.sql.query(
      `select extract(epoch from s - p.slots[1])::numeric * 1000 as at from provider_paces p, unnest(p.slots) s where bucket = $1`,
      [bucket],
    );
    return rows.map(({ at }) => Math.round(Number(at)));
  }
  const bucket = () => `pace ${++counter}`;

  it("let through as many at once as the provider takes, and the next a second after the first", async () => {
    const name = bucket();
    await Promise.all(Array.from({ length: 3 }, () => takeTurn(name, 3)));
    const [first, , last] = await turns(name);
    expect((last as number) - (first as number)).to.be.below(1000);
    const { rows } = await running.sql.query("select slots[1] as first from provider_paces where bucket = $1", [name]);
    await takeTurn(name, 3);
    const next = await running.sql.query(
      "select slots[3] >= $2::timestamptz + interval '1 second' as kept from provider_paces where bucket = $1",
      [name, rows[0].first],
    );
    expect(next.rows[0].kept).to.equal(true);
  });

  it("are counted apart for every key", async () => {
    const [one, other] = [bucket(), bucket()];
    await Promise.all([takeTurn(one, 1), takeTurn(other, 1)]);
    expect(await turns(one)).to.deep.equal([0]);
    expect(await turns(other)).to.deep.equal([0]);
  });

  it("refuse a call whose turn would come too late, and take no turn for it", async () => {
    const name = bucket();
    await running.sql.query("insert into provider_paces values ($1, array[now() + interval '1 minute'])", [name]);
    const failure = await takeTurn(name, 1).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(ProviderFailure);
    expect(failure).to.include({ kind: "limited" });
    const { rows } = await running.sql.query(
      "select slots[1] > now() + interval '50 seconds' as kept from provider_paces where bucket = $1",
      [name],
    );
    expect(rows[0].kept).to.equal(true);
  });

  it("end a wait with the signal of the run", async () => {
    const name = bucket();
    await takeTurn(name, 1);
    const waiting = takeTurn(name, 1, AbortSignal.abort());
    expect(
      await waiting.then(
        () => "let through",
        ({ name: kind }: Error) => kind,
      ),
    ).to.equal("AbortError");
  });
});
