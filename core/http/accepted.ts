/** An answer with 202: the call was taken, and a job goes on with it. For actions that declare `accepts`. */
export class Accepted {
  readonly body: unknown;

  constructor(body: unknown) {
    this.body = body;
  }
}
