/**
 * The trigger that makes the deliveries of an event, in the statement that writes the event. A trigger covers the events of every
 * version of the service that uses the database. Without webhooks of the tenant it costs one look-up in an index.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/** A test is delivered to one webhook only, and refused requests are no changes. */
const condition = "NEW.action NOT IN ('webhook.test', 'request.refused')"

/** Inserts the deliveries. `types` has the texts of `event_types` in a column `value`. */
const insert = (types: string) => `INSERT INTO webhook_delivery
    (webhook_id, event_id, tenant_id, action, target_id, bucket_id, detail)
  SELECT webhook.id, NEW.id, NEW.tenant_id, NEW.action, NEW.target_id, NEW.bucket_id, NEW.detail FROM webhook
  WHERE webhook.tenant_id = NEW.tenant_id AND webhook.state = 'ACTIVE'
    AND (webhook.bucket_id IS NULL OR webhook.bucket_id = NEW.bucket_id)
    AND EXISTS (SELECT 1 FROM ${types} WHERE value IN ('*', NEW.action)
      OR (substr(value, length(value)) = '.' AND substr(NEW.action, 1, length(value)) = value));`

export const webhookTriggers = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql.unsafe(`CREATE FUNCTION webhook_event_written() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $body$
          BEGIN
            ${insert("jsonb_array_elements_text(CAST(webhook.event_types AS jsonb)) AS types (value)")}
            RETURN NULL;
          END $body$`),
        sql.unsafe(`CREATE TRIGGER webhook_event_inserted AFTER INSERT ON event FOR EACH ROW WHEN (${condition})
          EXECUTE FUNCTION webhook_event_written()`)
      ),
    orElse: () =>
      sql.unsafe(`CREATE TRIGGER webhook_event_inserted AFTER INSERT ON event FOR EACH ROW WHEN ${condition}
        BEGIN ${insert("json_each(webhook.event_types)")} END`)
  })
})
