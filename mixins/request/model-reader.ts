import type { Service } from "moleculer";
import DbService from "moleculer-db";
import SequelizeAdapter from "moleculer-db-adapter-sequelize";
import type { Model } from "../../core/database/model.ts";
import { sequelize, sequelizeModel } from "../../core/database/sequelize.ts";
import type { Values } from "../../core/database/write.ts";
import type { ActionContext } from "../../core/declare/action.ts";

/** The rows that a read asks for, by the parameters of moleculer-db. */
export interface ReadRequest {
  query: Values;
  sort?: string[];
  fields?: string[];
  limit?: number;
  offset?: number;
}

/** The methods of moleculer-db that we use. */
export interface Reading {
  _find(ctx: ActionContext, params: ReadRequest): Promise<object[]>;
  _count(ctx: ActionContext, params: Pick<ReadRequest, "query">): Promise<number>;
}

/** moleculer-db's adapter around the process's only Sequelize; it opens no connection. */
class SharedAdapter extends SequelizeAdapter {
  constructor(service: Service, model: Model) {
    super({});
    Object.assign(this, { broker: service.broker, service, model: sequelizeModel(model), db: sequelize });
  }
}

const { methods, settings } = DbService as unknown as { methods: object; settings: object };
const readers = new WeakMap<Service, Reading>();

/**
 * moleculer-db over the model of an actor, made at the actor's first read. Not a mixin of the actor: Moleculer would clone it several times
 * for each of them, and a start would load Sequelize for reads that only engineers make.
 */
export function readerOf(service: Service, model: Model): Reading {
  let reader = readers.get(service);
  if (!reader) {
    const own = { settings: { ...settings, idField: "id" }, adapter: new SharedAdapter(service, model) };
    readers.set(service, (reader = Object.assign(Object.create(service), methods, own) as Reading));
  }
  return reader;
}
