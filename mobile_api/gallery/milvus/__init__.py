"""TODO mobile_api/gallery/milvus."""
