import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { enqueue, queryAll } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { isApiError } from "../../../core/declare/errors.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { sharedService, type TestService } from "../../support/service.ts";

/** More writes than wait for a read or the commit before they are sent. */
const MANY = 300;

describe("a transaction of very many writes", () => {
  let service: TestService;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("says what made a write fail that nobody waited for, not that the transaction is aborted since", async () => {
    const { organisation } = await service.tenant();
    const add = statement(
      "insert into companies (id, organisation_id, name, client_number) values (gen_random_uuid(), $1, 'A', 'K-1')",
    );
    const writing = inTenancy(
      () => systemRequest("test", organisation, "write"),
      async () => {
        for (let written = 0; written < MANY; written++) enqueue(add, [organisation.id]);
        await delay(50);
        await queryAll([statement("select 1"), []]);
      },
    );
    const error = await writing.catch((thrown: unknown) => thrown);
    expect(isApiError(error), String(error)).to.equal(true);
    expect(error).to.include({ code: 409, message: "errors.companies.client_number_taken" });
  });
});
