-- The word of no letters counts the pages of a vocabulary, and no word stands on more.
select user_id, count(document_id) as searched, coalesce(max(counted.pages), 0) as counted
from private.document_search
full join (
  select user_id, max(pages) as pages, max(pages) filter (where word = '') as all_pages
  from private.document_words group by user_id
) as counted using (user_id)
group by user_id
having count(document_id) <> coalesce(max(counted.pages), 0) or count(document_id) <> coalesce(max(counted.all_pages), 0)
