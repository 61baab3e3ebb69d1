select view_version
from view_versions;
