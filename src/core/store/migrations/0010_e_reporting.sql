-- The category of French e-reporting of each kind of service that has another one than usual: a JSON object.
alter table locations add column e_reporting_categories text not null default '{}';
