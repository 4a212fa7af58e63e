-- Several refunds of one sale are added up, so they are found by the sale that they name. A quote in a till's text is escaped, so the pair
-- occurs only where the field is.
create index orders_refunds on orders (location_id, (lower(substring(document from '"refundOf":"([^"]+)"'))))
  where strpos(document, '"refundOf":"') > 0;
